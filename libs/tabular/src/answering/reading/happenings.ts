import type { AskedColumn, AskedTable } from '../asked-table.js';
import { isMeasured, isOfThing, ownDates } from './conditions.js';
import type { Mark } from './mark-words.js';
import { addsUp } from './measures.js';
import { isKey, isTime } from './reading.js';
import { isNumberedThing } from './row-nouns.js';
import { countsThings, quantityOf } from './synonyms.js';
import { nameWords } from './words.js';

/** Words of the names of columns that say themselves how popular something is. */
const LIKED = new Set(
  `popularity votes vote views view likes like plays play streams downloads sold sales followers subscribers listeners readers
   copies visits visitors rank rating ratings score`.split(/\s+/),
);

/**
 * Whether each row is something that happened, so that what has the most rows happened most ("most popular", "busiest"):
 * rows with a time of their own, and a number or no figure that adds up. A row for each day or each shop and day is none,
 * nor is one that has a figure of its own for how popular it is.
 */
export function tellsHappenings(table: AskedTable): boolean {
  const [date, ...others] = ownDates(table.columns.filter(isTime));
  if (!date || others.length > 0 || isOfThing(date) || date.unique === true || quantityOf(table)) return false;
  const figures = table.columns.filter(isMeasured);
  const tells = figures.some(
    (column) => countsThings(column) || nameWords(column.originalName).some((part) => LIKED.has(part)),
  );
  if (tells) return false;
  return table.columns.some((column) => column.unique === true && isKey(column)) || !figures.some(addsUp);
}

/** Words of the names of times that say nothing of what happened then. */
const OF_TIMES = /^(?:dates?|days?|times?|timestamps?|months?|years?|at|on)$/;

/**
 * What happened at the time of a column: "hires", "hired" of `Hire Date`; null of any other words.
 * @param isOne whether "hire" is as good: "the last hire"
 */
export function happeningIn(mark: Mark | undefined, isOne = false): AskedColumn | null {
  if (mark?.kind !== 'column' || mark.words.length > 1 || mark.done) return null;
  const { norm, language, quoted } = mark.words[0]!;
  if (quoted || language !== 'en' || OF_TIMES.test(norm) || !(isOne || mark.verb || norm.endsWith('s'))) return null;
  const [column, ...others] = mark.columns.length > 0 ? mark.columns : (mark.family ?? []);
  // "Invoices" of `InvoiceNo` and `InvoiceDate` are those that have numbers.
  return column && others.length === 0 && isTime(column) && !isNumberedThing(norm) ? column : null;
}
