import type { AskedColumn, AskedTable } from '../asked-table.js';
import { isDecimalComma, toUnit, type Amount } from './amounts.js';
import { askBack, chosenOf, columnOptions } from './asking-back.js';
import { inUnitOf, isCountedIn, isUnitOfTime } from './elapsed-units.js';
import { scaled, scaleOf } from './scales.js';
import type { Mark } from './mark-words.js';
import { isKey, isNumeric, isTime, labelOf, Unclear, type Filter, isYearColumn } from './reading.js';
import { inYear, type Period, type Season } from './times.js';

type MarkOf<K extends Mark['kind']> = Extract<Mark, { kind: K }>;
export type Comparable = MarkOf<'amount'> | MarkOf<'period'> | MarkOf<'season'>;

export function isComparable(mark: Mark | undefined): mark is Comparable {
  return mark?.kind === 'amount' || mark?.kind === 'period' || mark?.kind === 'season';
}

/** What the numbers of the column are, as far as its file or its header says: `%`, a code of a currency; null otherwise. */
export function unitOf({ unit, originalName }: AskedColumn): string | null {
  if (unit !== undefined) return toUnit(unit) ?? unit;
  const bracketed = /[([]\s*([^)\]]+?)\s*[)\]]/.exec(originalName)?.[1];
  return bracketed === undefined ? null : toUnit(bracketed);
}

/** The column that says in which currency, or in which unit of measure, the numbers of its row are. */
export function unitsColumn({ columns }: AskedTable): AskedColumn | null {
  const named =
    /^(currency|unit|units|uom|unit of measure|devise|währung|waehrung|moneda|valuta|moeda|einheit|unité|unidad|unità|unidade|eenheid|العملة|عملة|الوحدة|وحدة)$/iu;
  return (
    columns.find(({ type, name, originalName }) => type === 'text' && named.test(originalName.trim() || name)) ?? null
  );
}

/** Numbers that measure something, and name nothing. */
export function isMeasured(column: AskedColumn): boolean {
  return isNumeric(column) && !isKey(column) && !isYearColumn(column);
}

const SHARE =
  /percent|pct|(?<!\p{L})(?:rate|ratio|share)s?(?!\p{L})|margin|discount|growth|utili[sz]ation|نسبه|نسبة|معدل|خصم/iu;

const DEGREES = /(?<!\p{L})(?:temp|angle)|degree|latitude|longitude|°|حرار/iu;

/**
 * The amount in the column's own terms: 10 % is 10 where the column counts percent, and 0.1 where it holds parts of one.
 * @returns null when the two cannot be compared. @throws Unclear where the column does not say what it holds
 */
export function numberFor(column: AskedColumn, { number, unit, text }: Amount, table: AskedTable): number | null {
  if (!isNumeric(column)) return null;
  if (column.elapsed) return inUnitOf(column.elapsed, number, unit);
  if (column.type === 'integer' && isDecimalComma(text)) return null;
  // No year is below zero: something else is.
  if (isYearColumn(column) && (number < 1000 || number > 2500)) return null;
  const scale = scaleOf(column);
  if (scale !== 1 && unit !== '%') return scaled(column, { number, unit, text }, scale, table);
  if (unit === null) return number;
  const own = unitOf(column);
  if (own !== null) return own.toLowerCase() === unit.toLowerCase() ? number : null;
  if (isUnitOfTime(unit)) return isCountedIn(column, unit) ? number : null;
  if (unit === 'degrees') return DEGREES.test(`${column.name} ${column.originalName}`) ? number : null;
  if (unit !== '%') {
    const units = unitsColumn(table);
    if (units && (units.complete !== true || units.values.length > 1)) throw new Unclear(text, [labelOf(units)]);
    return number;
  }
  const [low, high] = column.span ?? [];
  if (typeof low !== 'number' || typeof high !== 'number') return null;
  if (low >= -1 && high <= 1) return Number((number / 100).toPrecision(15));
  const named = SHARE.test(`${column.name} ${column.originalName}`);
  if (named && high > 1.5) return number;
  return askBack(
    table,
    text,
    [number, number / 100].map((own) => [`${labelOf(column)} = ${own}`, own]),
    'value',
  );
}

/** Nobody is older. */
export const OLDEST = 120;

/** The one column that an amount without a column can mean. @throws Unclear */
export function amountColumn(table: AskedTable, amounts: readonly Amount[], about: string): AskedColumn {
  const numeric = table.columns.filter((column) => isMeasured(column) && !isCoordinate(column));
  // "People over 30"
  const ages = numeric.filter(({ name }) => /^(?:.*_)?age$|^العمر$/.test(name));
  if (
    table.persons === true &&
    ages.length === 1 &&
    amounts.every(({ number, unit }) => unit === null && number < OLDEST && number > 0)
  )
    return ages[0]!;
  // "Employees over 40", whose ages nobody knows
  const [only, ...more] = numeric;
  const isAge = table.persons === true && amounts.every(({ number, unit }) => unit === null && number <= OLDEST);
  if (only && more.length === 0 && isAge && amounts.length > 0 && Number(only.span?.[0] ?? 0) > OLDEST)
    return askBack(table, about, columnOptions(numeric));
  const units = new Set(amounts.map(({ unit }) => unit).filter((unit) => unit !== null));
  const same = numeric.filter((column) => units.has(unitOf(column) ?? ''));
  const money = [...units].some((unit) => unit !== '%' && /^[A-Z]{3}$/.test(unit));
  const priced = same.length === 0 && money ? numeric.filter(isMoney) : same;
  const [column, ...others] = priced.length > 0 ? priced : numeric;
  return column && others.length === 0 ? column : askBack(table, about, columnOptions(numeric));
}

/** Columns of money by their names, where their units are not known. */
const MONEY =
  /(?:amount|price|cost|revenue|sales|salary|wage|income|budget|total|value|profit)s?(?!\p{L})|(?<!\p{L})(?:salaries|fees?|spen[dt](?:ing)?|custos?|spes[ae]|(?:(?:bruto|netto|uur|dag|week|maand|jaar|basis|start|minimum)\p{L}?)?loon)(?!\p{L})|betrag|preis|kosten|umsatz|gehalt|montant|prix|salaire|importe|precio|coste|salario|prezzo|costo|importo|preço|valor|prijs|bedrag|umsätze|erlös|ausgaben|l[oö]hn|chiffre d|recette|dépense|ingresos|ventas|factura|gasto|fatturato|ricav|stipendio|receita|faturamento|despesa|omzet|uitgaven|ايراد|إيراد|مبيعات|مبلغ|سعر|تكلف|راتب/iu;

function isMoney(column: AskedColumn): boolean {
  const name = `${column.name} ${column.originalName}`.replaceAll('_', ' ');
  return unitOf(column) === null && MONEY.test(name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '));
}

/** Where something lies: nobody says that without the name. */
function isCoordinate({ name }: AskedColumn): boolean {
  return /^(?:.*_)?(?:latitude|longitude|lat|lon|lng)$/i.test(name);
}

/** Dates that a thing has for good, or that lie ahead: what is told of it need not be of then. */
const OF_THING =
  /hire|hiring|birth|born|\bdob\b|joined|joining|expir|\bdue\b|deadline|valid|renewal|warranty|founded|naissance|embauche|geburt|eintritt|einstellung|fällig|ablauf|gültig|nacimiento|contrataci|vencimiento|caducidad|ingreso_|nascita|assunzione|scadenza|nascimento|admiss[ãa]o|contrata|validade|geboorte|indienst|verval|échéance|\bexit\b|terminat|resign|retire|\bleft\b|\bleaving\b|austritt|ausscheide|kündigung|\bbaja\b|licenziamento|uitdienst|desligamento|rescis|ميلاد|تعيين|توظيف|استحقاق|انتهاء/iu;

export function isOfThing({ name, originalName }: AskedColumn): boolean {
  return OF_THING.test(`${name} ${originalName}`);
}

/** Of several dates the first that a row is of: an order is of the day on which it was made rather than shipped. */
export function ownDates(dates: readonly AskedColumn[]): readonly AskedColumn[] {
  const own = dates.filter((date) => !isOfThing(date));
  return dates.length > 1 && own.length > 0 ? own.slice(0, 1) : dates;
}

/** The one column that a time without a column can mean. @throws Unclear when there are several */
export function timeColumn(table: AskedTable, periods: readonly Period[], about: string): AskedColumn | null {
  const { columns } = table;
  const years = periods.every(({ year }) => year !== undefined) ? columns.filter(isYearColumn) : [];
  const times = [...columns.filter(isTime), ...years];
  const [column, ...others] = years.length > 0 ? times : ownDates(times);
  // A salary "in 2022" is not one of those who were hired then.
  const chosen = chosenOf(table, about, columnOptions(times));
  if (chosen) return chosen[1];
  if (others.length > 0 || (column && isOfThing(column))) return askBack(table, about, columnOptions(times));
  return column ?? null;
}

/** Times as periods; one without a year takes that of those beside it, or the only one that the column has. @throws Unclear */
export function toPeriods(marks: readonly Comparable[], table: AskedTable, named: AskedColumn | null): Period[] | null {
  let year: number | null = null;
  const periods: Period[] = [];
  for (const mark of marks.toReversed()) {
    if (mark.kind === 'amount') return null;
    if (mark.kind === 'period') {
      year = Number(mark.period.from.slice(0, 4));
      periods.unshift(mark.period);
    } else {
      const column = named ?? table.columns.find(isTime) ?? null;
      const period = inYear(mark.season, year ?? onlyYear(mark.season, column, table));
      if (!period) return null;
      periods.unshift(period);
    }
  }
  return periods;
}

function onlyYear(season: Season, column: AskedColumn | null, table: AskedTable): number {
  const [first, last] = (column?.span ?? []).map((date) => Number(String(date).slice(0, 4)));
  if (first === undefined || last === undefined || last - first > 50) throw new Unclear(season.label, [], 'time');
  if (first === last) return first;
  const years = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const known = years.filter((year) => inYear(season, year) !== null);
  return askBack(
    table,
    season.label,
    known.map((year) => [`${season.label} ${year}`, year]),
    'time',
  );
}

/** Within any of the periods; of an integer column, of any of the years. */
export function within(column: AskedColumn, periods: readonly Period[]): Filter | null {
  if (isTime(column)) return { kind: 'periods', column, periods: [...periods] };
  const years = periods.flatMap(({ year }) => year ?? []);
  if (!isYearColumn(column) || years.length < periods.length) return null;
  return { kind: 'numbers', column, numbers: years, shown: years.map(String) };
}

/** After a period is behind its last day, before it ahead of its first. */
export function compareTime(column: AskedColumn, op: '>' | '<' | '>=' | '<=', period: Period): Filter | null {
  const shown = period.label;
  if (isYearColumn(column) && period.year !== undefined)
    return { kind: 'compare', column, op, number: period.year, shown };
  if (!isTime(column)) return null;
  const date = op === '>' || op === '<=' ? period.before : period.from;
  return { kind: 'moment', column, op: op === '>' || op === '>=' ? '>=' : '<', date, shown: `${op} ${shown}` };
}
