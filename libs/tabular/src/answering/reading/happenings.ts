import type { AskedTable } from '../asked-table.js';
import { isMeasured, isOfThing, ownDates } from './conditions.js';
import { addsUp } from './measures.js';
import { isKey, isTime } from './reading.js';
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
