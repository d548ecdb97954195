import type { AskedColumn } from '../asked-table.js';
import { askBack, columnOptions } from './asking-back.js';
import type { Mark } from './mark-words.js';
import type { Parts } from './parts.js';
import { isOfPersons } from './persons.js';
import { isKey, isNumeric, isTime, labelOf, Unclear, isYearColumn } from './reading.js';
import { worthOf } from './synonyms.js';
import { askingHowMuch, isOfOnePiece } from './verbs.js';
import { nameWords, textOf } from './words.js';

/**
 * What the question as a whole has to tell, once each of its words is taken.
 * @param marks all of them
 * @param rest those that are no conditions
 * @returns false where it is not known what is asked for
 * @throws Unclear where that may be one thing or another
 */
export function readWhole(parts: Parts, marks: readonly Mark[], rest: readonly Mark[]): boolean {
  if (!namesWhatSells(parts, rest)) return false;
  requireOnePrice(parts, rest);
  requireOneAge(parts, marks);
  if (parts.asksWho && !askOwners(parts, marks)) return false;
  // "How much has Ann paid" asks for no days.
  const howMuch = askingHowMuch(marks.flatMap(({ words }) => words)) > 0;
  return !howMuch || parts.columns.length === 0 || !parts.columns.every(isTime);
}

const HAVING = /^(?:has|have|had|hat|haben|hatte|hatten|a|ont|avait|tiene|tienen|ha|hanno|tem|têm|heeft|hebben)$/;

/** "Who has overdue books" asks for those who have them. @returns false where it is not known who that is */
function askOwners(parts: Parts, marks: readonly Mark[]): boolean {
  const has = marks[1]?.kind === 'verb' && HAVING.test(marks[1].words[0]!.plain);
  const things =
    parts.columns.length > 0 && parts.columns.every((column) => column.type === 'text' && !isOfPersons(column));
  if (!has || !things || parts.aggregates.length > 0 || parts.top || parts.groups.length > 0) return true;
  const [person, ...others] = parts.table.columns.filter(isOfPersons);
  if (!person || others.length > 0) return false;
  parts.columns = [person];
  return true;
}

/**
 * "The newest house": listed last, or built last?
 * @throws Unclear
 */
function requireOneAge({ columns, table }: Parts, marks: readonly Mark[]): void {
  const age = marks.find(({ words }) => /^(?:newest|oldest|(?:neu|ält)est(?:e[nrs]?)?)$/.test(words.at(-1)!.plain));
  const years = table.columns.filter(isYearColumn);
  const dates = table.columns.filter(isTime);
  if (age && years.length > 0 && dates.length > 0 && !columns.some((column) => isTime(column) || isYearColumn(column)))
    throw new Unclear(textOf(age.words), [...dates, ...years].map(labelOf));
}

/**
 * "The most expensive order": by the price of a piece, or by what it came to?
 * @throws Unclear
 */
function requireOnePrice(parts: Parts, marks: readonly Mark[]): void {
  const { byAdjective, namesThings, columns, table } = parts;
  const price = columns.find((column) => isOfOnePiece(column, table));
  const isOrdered = table.columns.some(({ numbers, unique }) => numbers === true && unique === true);
  const named = columns.filter((column) => column !== price);
  const ofRows = named.length > 0 ? named.every(({ numbers }) => numbers === true) : namesThings;
  if (!byAdjective || !ofRows || !price || !isOrdered) return;
  const worth = worthOf(table);
  const about = marks.find(({ kind }) => kind === 'adjective');
  if (!worth || worth === price) return;
  const chosen = askBack(table, textOf(about?.words ?? []), columnOptions([price, worth]));
  parts.columns = columns.map((column) => (column === price ? chosen : column));
}

/** What is sold, in the names of columns. */
const SOLD = new Set(
  `product products item items article articles goods sku produkt produkte artikel ware waren produit produits producto
   productos articulo articulos prodotto prodotti articolo produto produtos artigo artikelen المنتج منتج المنتجات السلعه سلعه الصنف صنف`
    .split(/\s+/)
    .filter(Boolean),
);
const isCalled = (column: AskedColumn, word: (part: string) => boolean) => nameWords(labelOf(column)).some(word);
const SELLERS = /^(?:sellers?|sales(?:person|man|woman|people|rep|agent)|rep|agent|vendor|verkaufer(?:in)?|vertreter)$/;

/**
 * "What sells best", "our best sellers": of the only column of what is sold.
 * @returns false where no such column can be meant, or where sellers are people
 */
function namesWhatSells(parts: Parts, marks: readonly Mark[]): boolean {
  const mark = marks.find((own) => own.kind === 'adjective' && own.adjective.sums === true);
  if (!mark) return true;
  const { columns } = parts.table;
  if (mark.words.some(({ norm }) => /^(?:best)?sellers?$/.test(norm))) {
    if (parts.asksWho || columns.some((column) => isCalled(column, (part) => SELLERS.test(part)))) return false;
  }
  const named = [...parts.columns, ...parts.groups.map(({ column }) => column)].some((column) => !isNumeric(column));
  if (named || parts.unit !== null) return true;
  if (parts.namesThings) return false;
  const sold = columns.filter(
    (column) => column.type === 'text' && !isKey(column) && isCalled(column, (part) => SOLD.has(part)),
  );
  const [column, ...others] = sold;
  if (!column || others.length > 0) return false;
  parts.columns.unshift(column);
  return true;
}
