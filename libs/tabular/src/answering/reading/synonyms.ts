import type { AskedColumn, AskedTable } from '../asked-table.js';
import type { LanguageCode } from './lexicon/languages.js';
import { addsUp } from './measures.js';
import { isKey, isNumeric, isTime } from './reading.js';
import { fold, nameWords, sameWord, type Word } from './words.js';

/** General words | words of the names of columns that hold just that. */
const SAID: [words: string, names: string][] = [
  ['people persons inhabitants residents ناس الناس شخص اشخاص سكان السكان', 'population inhabitants سكان السكان'],
  ['people persons', 'deaths killed fatalities casualties injured passengers visitors'],
  [
    'died die dies dead killed fatalities deaths death مات ماتوا قتل وفيات',
    'deaths death killed fatalities casualties وفيات الوفيات',
  ],
  ['earn earns earned earning earnings', 'salary wage income pay earnings راتب'],
  ['weigh weighs weighed', 'weight وزن'],
];
/** What was sold, in money or one by one, as languages say it: no word of asking, and none of another meaning there. */
const SALES: Readonly<Partial<Record<LanguageCode, RegExp>>> = {
  en: /^(?:sales|turnover|takings|revenues?|(?:ال)?مبيعات)$/,
  de: /^(?:verkaufe|umsatze?)$/,
  fr: /^ventes$/,
  es: /^ventas$/,
  it: /^vendite$/,
  pt: /^vendas$/,
  nl: /^verkopen$/,
};
const TAKINGS = new Set(
  `revenue revenues turnover umsatz umsatze erlos erlose chiffre recettes ingresos facturacion ricavi fatturato incassi
   receita receitas faturamento omzet ايرادات الايرادات`
    .split(/\s+/)
    .filter(Boolean),
);

/** The only column of what was taken in. */
export function takingsOf({ columns }: AskedTable): AskedColumn | null {
  const own = columns.filter(
    (column) => isNumeric(column) && nameWords(column.originalName).some((part) => TAKINGS.has(part)),
  );
  return own.length === 1 ? own[0]! : null;
}

/** What a row came to: the column of takings, or the only one that is added up and counts no pieces. */
export function worthOf(table: AskedTable): AskedColumn | null {
  const own = takingsOf(table);
  if (own) return own;
  const quantity = quantityOf(table);
  const summed = table.columns.filter(
    (column) => isNumeric(column) && column !== quantity && !isKey(column) && addsUp(column),
  );
  return summed.length === 1 ? summed[0]! : null;
}

/** Whether it is a word for what was taken in. */
export function isSaleWord({ norm, language }: Word): boolean {
  return SALES[language]?.test(norm) === true || TAKINGS.has(norm);
}

/** The same where a word of sales stands for it: «Umsatz» alone is not the column «Umsatz in Bern». */
export function saidTakings({ norm, language }: Word, table: AskedTable): AskedColumn | null {
  if (SALES[language]?.test(norm) !== true) return null;
  const column = takingsOf(table);
  return column && !nameWords(column.originalName).some((part) => sameWord(part, norm)) ? column : null;
}

const SEXES: [words: string, values: string][] = [
  ['men man male males boys boy رجال رجل ذكور ذكر', 'male m man men ذكر'],
  ['women woman female females girls girl نساء امراه اناث انثي', 'female f woman women انثي'],
];
const DEATHS = new Set(['died', 'die', 'dies', 'dead', 'killed', 'deaths', 'death', 'fatalities']);

/** The only column of numbers that a general word stands for. */
export function saidOf({ columns }: AskedTable, word: Word): AskedColumn | null {
  for (const [words, names] of SAID) {
    if (!words.split(' ').includes(word.norm)) continue;
    const known = names.split(' ');
    const own = columns.filter(
      (column) =>
        isNumeric(column) && nameWords(column.name).some((part) => known.some((name) => sameWord(part, name))),
    );
    if (own.length === 1) return own[0]!;
  }
  return null;
}

/** "Women": what the column of sexes has for them. */
export function sexOf({ columns }: AskedTable, word: Word): { column: AskedColumn; values: string[] } | null {
  const column = columns.find(
    ({ type, name, complete }) => type === 'text' && complete === true && /^(?:gender|sex|الجنس|جنس)$/i.test(name),
  );
  const known = SEXES.find(([words]) => words.split(' ').includes(word.norm))?.[1].split(' ');
  if (!column || !known) return null;
  const values = column.values.filter((value) => known.includes(fold(value)));
  return values.length > 0 ? { column, values } : null;
}

/** "How many died" of a table of persons with the days on which they did. */
export function deathOf({ columns, persons }: AskedTable, word: Word): AskedColumn | null {
  if (persons !== true || !DEATHS.has(word.norm)) return null;
  const dates = columns.filter((column) => isTime(column) && nameWords(column.name).includes('death'));
  return dates.length === 1 ? dates[0]! : null;
}

const QUANTITIES = new Set(
  `quantity quantities qty units pieces menge stuck stuckzahl quantite unites cantidad unidades quantita pezzi quantidade
   aantal stuks كميه الكميه`
    .split(/\s+/)
    .filter(Boolean),
);

/** The only column that says how much of something a row is about. */
export function quantityOf({ columns }: AskedTable): AskedColumn | null {
  const own = columns.filter(
    (column) =>
      isNumeric(column) &&
      nameWords(column.originalName).length <= 2 &&
      nameWords(column.originalName).some((part) => QUANTITIES.has(part)),
  );
  return own.length === 1 ? own[0]! : null;
}

/** Words of the names of columns that count people or what happened to them. */
const COUNTED = new Set(
  `quantity quantities qty menge cantidad quantite quantita quantidade deaths killed fatalities casualties injured births units pieces copies population inhabitants passengers visitors
   kunden besucher gaste personen einwohner fahrgaste bestellungen mitarbeiter clients visiteurs habitants visites commandes
   clientes visitantes visitas habitantes pedidos clienti visitatori abitanti ordini encomendas klanten bezoekers inwoners
   bestellingen nachte nuits noches notti noites nachten
   stunden heures horas uren stuck pezzi piezas pecas stuks unidades unites personnes personas persone pessoas`.split(
    /\s+/,
  ),
);

/** Whether "how many" asks for the sum of the column: it counts people or what happened to them. */
export function countsThings({ name, type }: AskedColumn): boolean {
  return type === 'integer' && nameWords(name).some((part) => COUNTED.has(part));
}

/** What people write in words of their own. */
const REMARKS = new Set(
  `comment comments remark remarks note notes feedback review reviews message messages suggestion suggestions complaint complaints description descriptions
   kommentar kommentare bemerkung bemerkungen anmerkung anmerkungen hinweis hinweise notiz notizen nachricht nachrichten beschwerde beschwerden
   commentaire commentaires remarque remarques avis comentario comentarios observacion observaciones opinion opiniones commento commenti osservazione
   osservazioni nota note recensione recensioni observacao observacoes opmerking opmerkingen reactie reacties تعليق تعليقات ملاحظه ملاحظات`
    .split(/\s+/)
    .filter(Boolean),
);

export function tellsRemarks({ type, originalName, name }: AskedColumn): boolean {
  return type === 'text' && REMARKS.has(nameWords(originalName.trim() || name).at(-1) ?? '');
}
