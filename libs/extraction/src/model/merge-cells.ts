import { agreeing, type JudgedCell } from './judged-cell.js';
import { sameValue } from './same-value.js';

/** Parts of the document say different things, both in its own words. */
const CONFLICT = 0.6;
/** What was unproved at first, and then proved with the same value; with another one; and what was not seen at first. */
const SAME_AGAIN = 1;
const OTHER_AGAIN = 0.7;
const FOUND_LATER = 0.85;

const isProved = ({ evidence }: JudgedCell) => evidence.status === 'anchored';
const isBlank = ({ value }: JudgedCell) => value === null;

/** What is said of one cell in several windows, in their order. @returns undefined: nothing is */
export function mergeWindows(cells: readonly JudgedCell[]): JudgedCell | undefined {
  const proved = cells.filter(isProved);
  const best = proved.reduce<JudgedCell | undefined>(
    (first, cell) => (first === undefined || cell.evidence.score > first.evidence.score ? cell : first),
    undefined,
  );
  if (!best) return cells.find((cell) => !isBlank(cell)) ?? cells[0];
  const isDisputed = proved.some(({ value }) => !sameValue(value, best.value));
  return isDisputed ? agreeing(best, CONFLICT, 'conflicting_values') : best;
}

/** A second look at a cell that was missing or unproved. */
export function mergePasses(first: JudgedCell | undefined, second: JudgedCell | undefined): JudgedCell | undefined {
  if (!second || isBlank(second)) return first;
  if (!first || isBlank(first)) return isProved(second) ? agreeing(second, FOUND_LATER) : second;
  if (!isProved(second)) return sameValue(first.value, second.value) ? first : agreeing(first, OTHER_AGAIN);
  return agreeing(second, sameValue(first.value, second.value) ? SAME_AGAIN : OTHER_AGAIN);
}
