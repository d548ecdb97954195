import type { AskedColumn, AskedTable } from '../asked-table.js';
import { askBack, type Option } from './asking-back.js';
import { isMeasured, unitOf, unitsColumn } from './conditions.js';
import { isQuotient } from './quotients.js';
import type { Aggregate } from './lexicon.js';
import { isNumeric, isTime, labelOf, type Filter, type ReadQuery } from './reading.js';

/**
 * Numbers that people add up without saying so. English words are whole ones, or end one that is written together
 * ("netsales"): an account is no count.
 */
const SUMMED =
  /(?:sales|revenue|turnover|income|profit|amount|total|cost|expense|budget|quantity|qty|volume|value|hour|(?<!ac|dis|vis)count)s?(?!\p{L})|(?<!\p{L})(?:quantit(?:y|ies)|sums?|sold|earnings?|spen[dt](?:ing)?|fees?|units|number of|orders|visits|visitors|guests|people|minutes|outputs?|production|consumption|freight|payments?|paid|debits?|credits?|absences|generation|deaths|fatalit(?:y|ies)|casualt(?:y|ies)|killed|injur(?:y|ies|ed)|births|passengers|medals|precipitation|rainfall|snowfall|tickets|donations?|populations?|points|pieces|items|(?:page|re)?views|clicks|calls|votes|goals|fines|signups|downloads|likes|installs|complaints|incidents|accidents|impressions|conversions|tips|refunds|withdrawals|deposits|defects)(?!\p{L})|menge|anzahl|betrag|umsatz|kosten|montant|quantit[éàa](?!\p{L})|chiffre|co[uû]t|nombre|مبلغ|كمي|مبيعات|ايراد|إيراد|تكلف|عدد|مجموع|ربح|أرباح|مصروف|قيم/iu;

/** The same in other languages. */
const SUMMED_ABROAD =
  /(?<!\p{L})(?:betr[äa]ge|n[äa]chte|nuits|noches|notti|noites|nachten|ums[äa]tze|erl[öo]s|einnahmen|ausgaben|gewinn|absatz|st[üu]ck|kunden|besucher|g[äa]ste|einwohner|stunden|verbrauch|produktion|bestellungen|mitarbeiter|ventes|recettes|d[ée]penses|b[ée]n[ée]fice|clients|visiteurs|heures|ventas|ingresos|gastos|importes?|cantidad|unidades|beneficio|clientes|visitantes|horas|costes?|vendite|ricavi|incass[oi]|fatturato|importo|spese|clienti|visitatori|vendas|receitas?|despesas?|quantidade|lucro|omzet|aantal|bedrag|verkopen|verkoop|klanten|bezoekers|uren)(?!\p{L})|(?:umsatz|umsaetze|betrag|erl[öo]s|kosten|verbrauch|menge)(?!\p{L})/iu;

/** Numbers whose sum says nothing by itself, or that people may mean one by one: operating costs are no rating, markets no marks. */
const NOT_SUMMED =
  /(?:price|weight|height|margin|salary|balance)s?(?!\p{L})|(?<!\p{L})(?:priced|salaries|per|unit|efficien\p{L}*|rates?|ratios?|scores?|ratings?|grades?|marks?|age|temp(?:s|erature\p{L}*)?|percent\p{L}*|pct|shares?|discount\p{L}*|wages?|pay|bonus(?:es)?|index|levels?|latitude|longitude|speeds?|density|averages?|avg|mean|median|min(?:imum)?|max(?:imum)?|years?|rank(?:s|ing)?|humidity|pressure|satisfaction|bmi|gpa|life(?:time)?|sizes?)(?!\p{L})|(?<!\p{L})(?:min|max|avg)(?=sales|revenue|amount|cost|value|quantity|qty|volume|total|count)|%|سعر|معدل|نسب|درج|عمر|العمر|راتب|متوسط|حرار|رصيد|تقييم/iu;

const NOT_SUMMED_ABROAD =
  /(?<!\p{L})(?:einzelpreis|st[üu]ckpreis|preise?|alter|temperatur|bewertung|prozent|anteil|rabatt|gehalt|lohn|stundenlohn|durchschnitt|gewicht|gr[öo](?:ß|ss)e|h[öo]he|l[äa]nge|geschwindigkeit|jahr|prix|[âa]ge|remise|salaire|taux|moyenne?|poids|taille|hauteur|temp[ée]rature|note|ann[ée]e|precio|edad|descuento|salario|sueldo|porcentaje|promedio|peso|altura|a[ñn]o|prezzo|et[àa]|sconto|stipendio|percentuale|altezza|anno|pre[çc]o|idade|desconto|percentagem|porcentagem|m[ée]dia de|média|avalia[çc][ãa]o|ano|prijs|leeftijd|korting|salaris|gemiddelde?|jaar)(?!\p{L})|(?:preise?|rabatt|gehalt|lohn|quote|anteil|gewicht|temperatur|prijs)(?!\p{L})/iu;

/**
 * What a question means that names a column of numbers and no way to reckon: the sum, where its numbers add up.
 * @param key by which it is asked, so that a key with one row each makes all ways the same
 * @throws Unclear where a sum, an average and the single value are equally likely
 */
export function additive(column: AskedColumn, key: AskedColumn | null, table: AskedTable): Aggregate {
  const label = labelOf(column);
  // Of a quotient that of the sums (`ofSums`).
  if (addsUp(column) || isQuotient(column)) return 'sum';
  if (key?.unique === true) return 'max';
  // "How long does it take to ship"
  if (column.elapsed) return 'avg';
  const ways: Option<Aggregate>[] = [
    [`average ${label}`, 'avg'],
    [`total ${label}`, 'sum'],
    [`highest ${label}`, 'max'],
  ];
  return askBack(table, label, ways, 'way');
}

/** The ways in which "the city with the highest price" can be meant, the likeliest first; one alone where they are one. */
export function waysToRank(
  column: AskedColumn,
  key: AskedColumn,
  direction: 'asc' | 'desc',
  /** "The cheapest product" is hardly the one whose costs add up to the least. */
  byAdjective: boolean,
): Aggregate[] {
  if (key.unique === true) return ['max'];
  if (column.elapsed && !byAdjective && !addsUp(column)) return ['avg'];
  if (isQuotient(column)) return ['sum'];
  if (addsUp(column) && !byAdjective) return ['sum'];
  const single = direction === 'desc' ? 'max' : 'min';
  return isSummedAtAll(column) ? [single, 'avg', 'sum'] : [single, 'avg'];
}

export function isSummedAtAll(column: AskedColumn): boolean {
  return unitOf(column) !== '%' && !NOT_SUMMED.test(`${column.name.replaceAll('_', ' ')} ${column.originalName}`);
}

/** Whether the name of the column, or the money that it counts, says that its numbers are added up. */
export function addsUp(column: AskedColumn): boolean {
  if (column.elapsed) return column.elapsed.unit === 'night';
  const { arithmetic } = column;
  if (arithmetic) {
    // What is planned adds up like what it is set against.
    const parts = [arithmetic.first, arithmetic.second];
    if (arithmetic.op === '/') return false;
    return arithmetic.op === '*' || (parts.some(addsUp) && parts.every(isSummedAtAll));
  }
  const unit = unitOf(column);
  const written = `${column.name.replaceAll('_', ' ')} ${column.originalName} ${(column.headerPath ?? []).join(' ')}`;
  const name = written.replaceAll('_', ' ').replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ');
  if (unit === '%' || NOT_SUMMED.test(name) || NOT_SUMMED_ABROAD.test(name)) return false;
  return (
    SUMMED.test(name) || SUMMED_ABROAD.test(name) || (unit !== null && unit.length === 3 && unit === unit.toUpperCase())
  );
}

/** What is not added up over days: rates, and what there is on each of them. */
const STOCKS =
  /(?:^|_)(?:avg|average|mean|median|min|max|rate|ratio|percent|pct|share|score|rank|temp|temperature|price|subscribers?|members?|followers?|users?|customers?|employees?|staff|stock|inventory|balance|cumulative|running|total|active|open|population|levels?|capacity)(?:_|$)/i;

/** "Subscribers" of each day: those that there are then, and not more with each day. */
export function isStock({ name }: AskedColumn): boolean {
  return STOCKS.test(name);
}

/** One of the ways to reckon that are offered. */
export const ROWS: Option<AskedColumn | null> = ['number of rows', null];

/** The others. */
export function totalsOf({ columns }: AskedTable): Option<AskedColumn>[] {
  const sums = columns.filter((column) => isMeasured(column) && addsUp(column));
  return sums.map((column) => [`total ${labelOf(column)}`, column]);
}

/** Whether each row is one of those that the column names, or numbers: `Country`, `Respondent`. */
export function namesEachRow(column: AskedColumn): boolean {
  return column.unique === true && !isTime(column) && !(isNumeric(column) && addsUp(column));
}

/** Sums over several currencies or units of measure are none. @throws Unclear, with the units to choose from */
export function inOneUnit(query: ReadQuery): ReadQuery {
  const { table, measure, groups, filters } = query;
  const column = measure?.column;
  if (!column || !isNumeric(column) || unitOf(column) !== null || measure.aggregate.startsWith('count')) return query;
  const units = unitsColumn(table);
  if (!units || groups.some((group) => group.column === units)) return query;
  const chosen = filters.find((filter) => filter.column === units);
  if (chosen?.kind === 'values' && chosen.values.length === 1) return query;
  if (units.complete === true && units.values.length < 2) return query;
  const values = chosen?.kind === 'values' ? chosen.values : units.values;
  const one = (value: string): ReadQuery => {
    const others = filters.filter((filter) => filter !== chosen);
    return { ...query, filters: [...others, { kind: 'values', column: units, values: [value], asked: 1 }] };
  };
  const each: ReadQuery = { ...query, groups: [...groups, { column: units }] };
  const ways: Option<ReadQuery>[] = [
    ...values.map((value): Option<ReadQuery> => [value, one(value)]),
    [`by ${labelOf(units)}`, each],
  ];
  return askBack(table, labelOf(column), ways, 'way');
}

/** Rows that are the sums of the others are left out where they would count twice, or be the first of all. */
export function withoutWhole(query: ReadQuery): ReadQuery {
  const measures = (query.measure?.column && query.measure.aggregate !== 'count_distinct') || query.order?.column;
  if (!measures) return query;
  const wholes = query.table.columns.filter(
    (column) =>
      column.whole !== undefined &&
      !query.filters.some((filter) => filter.column === column) &&
      !query.measure?.part?.some(
        (filter) => filter.column === column && filter.kind === 'values' && filter.values.includes(column.whole!),
      ) &&
      (query.limit !== null || !query.groups.some((group) => group.column === column)),
  );
  const filters = wholes.map((column): Filter => {
    return { kind: 'values', column, values: [column.whole!], asked: 1, negated: true, implied: true };
  });
  return { ...query, filters: [...query.filters, ...filters] };
}
