import type { AskedColumn, Elapsed } from '../asked-table.js';
import { labelOf } from './reading.js';
import { nameWords, sameWord } from './words.js';

const MINUTES: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 1440, night: 1440, week: 10_080 };

/** So many of a unit in those of the column: 2 `weeks` are 14 days. Null where they cannot be compared. */
export function inUnitOf({ unit }: Elapsed, number: number, asked: string | null): number | null {
  if (asked === null) return number;
  const said = asked.replace(/s$/, '');
  if (unit === 'year' || unit === 'age') return said === 'year' ? number : null;
  const minutes = MINUTES[said];
  return minutes === undefined ? null : Number(((number * minutes) / MINUTES[unit]!).toPrecision(15));
}

const UNIT_OF_TIME = /^(?:minute|hour|day|night|week|year)s?$/;

export function isUnitOfTime(unit: string): boolean {
  return UNIT_OF_TIME.test(unit);
}

/** "5 years" of `Years of experience`, not of an amount. */
export function isCountedIn(column: AskedColumn, unit: string): boolean {
  return [...nameWords(labelOf(column)), ...nameWords(column.name)].some((part) => sameWord(unit, part));
}
