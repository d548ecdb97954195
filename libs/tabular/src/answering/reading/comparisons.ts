import type { AskedColumn, AskedTable } from '../asked-table.js';
import { amountColumn, compareTime, numberFor, timeColumn, toPeriods, type Comparable } from './conditions.js';
import type { Comparison, Meaning } from './lexicon.js';
import { isTime, type Filter, isYearColumn } from './reading.js';
import { textOf } from './words.js';

type Compared = Extract<Meaning, { kind: 'compare' }>['of'];

/** A column that a time can be compared with; others that are named stand beside it. */
function canBeTime(named: AskedColumn | null): boolean {
  return named === null || isTime(named) || isYearColumn(named);
}

/**
 * `over 5`, `after March 2024`.
 * @param named the column that stands before it
 * @param last what was compared before: "over 5 and under 10"
 * @throws Unclear where several columns can be meant
 */
export function comparedWith(
  { op, of }: { op: Comparison; of: Compared },
  mark: Comparable,
  table: AskedTable,
  named: AskedColumn | null,
  last: AskedColumn | null,
): Filter | null {
  const about = textOf(mark.words);
  if (mark.kind === 'amount') {
    if (of === 'times') return null;
    const column = named ?? last ?? amountColumn(table, [mark.amount], about);
    const number = numberFor(column, mark.amount, table);
    return number === null ? null : { kind: 'compare', column, op, number, shown: mark.amount.text };
  }
  if (!canBeTime(named) || (of === 'numbers' && !(named && isYearColumn(named)))) return null;
  const [period] = toPeriods([mark], table, named) ?? [];
  const column = period && (named ?? timeColumn(table, [period], about));
  return column ? compareTime(column, op, period) : null;
}

/** `between 5 and 10`, `from March to May 2024`, both ends included. @throws Unclear where several columns can be meant */
export function between(
  first: Comparable,
  second: Comparable,
  table: AskedTable,
  named: AskedColumn | null,
): Filter[] | null {
  const about = textOf([...first.words, ...second.words]);
  if (first.kind === 'amount' && second.kind === 'amount') {
    const unit = first.amount.unit ?? second.amount.unit;
    const [one, other] = [first.amount, second.amount].map((amount) => ({ ...amount, unit: amount.unit ?? unit }));
    const column = named ?? amountColumn(table, [one!, other!], about);
    const [low, high] = [numberFor(column, one!, table), numberFor(column, other!, table)];
    if (low === null || high === null || low > high) return null;
    return [
      { kind: 'compare', column, op: '>=', number: low, shown: one!.text },
      { kind: 'compare', column, op: '<=', number: high, shown: other!.text },
    ];
  }
  if (first.kind === 'amount' || second.kind === 'amount' || !canBeTime(named)) return null;
  const periods = toPeriods([first, second], table, named);
  const column = periods && (named ?? timeColumn(table, periods, about));
  const [one, other] = periods ?? [];
  if (!column || !one || !other || one.from > other.from) return null;
  const ends = [compareTime(column, '>=', one), compareTime(column, '<=', other)].filter((end) => end !== null);
  return ends.length < 2 ? null : ends;
}
