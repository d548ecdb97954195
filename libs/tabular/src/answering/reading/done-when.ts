import type { AskedColumn } from '../asked-table.js';
import { labelOf, isTime, Unclear, type ReadQuery } from './reading.js';
import type { Mark } from './mark-words.js';
import { textOf } from './vocabulary.js';
import { nameWords, sameWord } from './words.js';

const TIMES = new Set<Mark['kind']>(['period', 'season']);
/** Between what was done and when. */
const BETWEEN = new Set<Mark['kind']>(['preposition', 'article', 'from', 'until', 'compare', 'between', 'verb']);

/**
 * "Paid in March": where `paid` is a status and there is a day on which something was paid, it is not that of the order.
 * @throws Unclear
 */
export function requireOneDate({ table, filters }: ReadQuery, marks: readonly Mark[]): void {
  const dates = table.columns.filter(isTime);
  if (dates.length < 2) return;
  const said = marks.flatMap((mark) => (mark.kind === 'column' ? mark.columns : []));
  const taken = filters
    .filter(({ kind }) => kind === 'periods' || kind === 'moment')
    .map(({ column }) => column)
    .filter((column) => !said.includes(column));
  for (const [at, time] of marks.entries()) {
    if (!TIMES.has(time.kind)) continue;
    const done = marks.slice(0, at).findLast(({ kind }) => !BETWEEN.has(kind));
    if (!done || !isState(done)) continue;
    const named = dates.filter((date) => isNamed(date, done));
    if (taken.some((date) => named.length > 0 && !named.includes(date)))
      throw new Unclear(textOf(time.words), dates.map(labelOf));
  }
}

function isState(mark: Mark): boolean {
  return mark.kind === 'value' || (mark.kind === 'column' && mark.columns.every(({ type }) => type === 'boolean'));
}

function isNamed({ name }: AskedColumn, { words }: Mark): boolean {
  return words.some(({ norm }) => nameWords(name).some((part) => sameWord(norm, part)));
}
