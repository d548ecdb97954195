import type { TextRange } from '../text/blocks.js';
import { BREAK, type Unit } from './units.js';

/** With the units that are its own: those from `first` on, before `next`. */
export interface PackedPassage extends TextRange {
  first: number;
  next: number;
}

export interface PassageSize {
  /** Characters that a passage should not exceed. */
  target: number;
  /** A rest shorter than this joins the passage before it. */
  smallest: number;
  /** How far a passage reaches back into the one before it, by whole sentences. */
  overlap: number;
}

/** A passage is at least this full where it ends at a good place. */
const FULL = 0.5;

/**
 * Passages out of units: each takes in as many as fit, and ends at the best place in its second half (before a
 * heading, between paragraphs, between blocks, between sentences). All units are in one.
 */
export function pack(units: readonly Unit[], size: PassageSize): PackedPassage[] {
  const passages: PackedPassage[] = [];
  const end = units.at(-1)?.end ?? 0;
  for (let first = 0; first < units.length;) {
    const { start } = units[first]!;
    const next = end - start <= size.target + size.smallest ? units.length : nextPassage(units, first, size);
    passages.push({ start: overlapStart(units, first, size.overlap), end: units[next - 1]!.end, first, next });
    first = next;
  }
  return passages;
}

/** Index of the unit with which the next passage begins. */
function nextPassage(units: readonly Unit[], first: number, { target }: PassageSize): number {
  const { start } = units[first]!;
  let over = first + 1;
  while (over < units.length && units[over]!.end - start <= target) over++;
  let best = over;
  for (let at = over - 1; at > first && units[at - 1]!.end - start >= FULL * target; at--)
    if (strength(units[at]!) > strength(units[best])) best = at;
  return best;
}

function strength(unit: Unit | undefined): number {
  return unit?.breakBefore ?? BREAK.PARAGRAPH;
}

/** Where a passage begins that repeats the last sentences of the one before; rows and sections are not repeated. */
function overlapStart(units: readonly Unit[], first: number, overlap: number): number {
  const { start, breakBefore } = units[first]!;
  let from = start;
  if (breakBefore === BREAK.HEADING) return from;
  for (let at = first - 1; at >= 0; at--) {
    const unit = units[at]!;
    if (unit.isRow || unit.isHeading || start - unit.start > overlap || unit.breakBefore === BREAK.WITHIN) break;
    from = unit.start;
  }
  return from;
}
