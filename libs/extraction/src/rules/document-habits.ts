import type { CoercionHints } from '../coercion/coercion.js';
import { plainSigns } from '../coercion/plain-signs.js';
import type { SourcePage } from '../source/source-page.js';
import { isRightToLeft } from './segment.js';

/** The rest of a document beyond this says nothing new of how its writer writes. */
const MAX_CHARACTERS = 200_000;
const NUMBER = /(?<![\d.,/:-])\d{1,3}(?:[.,' ]\d{3})*[.,]\d{1,2}(?![\d.,/:-]\d|\d)/g;
const LONG_NUMBER = /(?<![\d.,/-])(?:\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:,\d{3})+\.\d+)(?![\d,/])/g;
const STROKES = /(?<![\d/.-])(\d{1,2})([/-])(\d{1,2})\2(?:\d{4}|\d{2})(?![\d/-])/g;
/** How much more often than the other one a sign has to stand. */
const MAJORITY = 4;

/**
 * How the writer of a document writes numbers and dates, from those that can be read in one way only: `12,50` says that
 * `1.234` is a thousand and more, `31/12/2025` that `03/04/2026` is in April. Nothing where they disagree.
 */
export function habitsOf(pages: readonly SourcePage[]): CoercionHints {
  let commas = 0;
  let points = 0;
  let dayFirst = 0;
  let monthFirst = 0;
  let left = MAX_CHARACTERS;
  let arabic = 0;
  for (const page of pages) {
    if (left <= 0) break;
    const text = plainSigns(page.text.slice(0, left));
    left -= page.text.length;
    arabic += isRightToLeft(text) ? text.length : -text.length;
    for (const [number] of [...text.matchAll(NUMBER), ...text.matchAll(LONG_NUMBER)])
      if (number.lastIndexOf(',') > number.lastIndexOf('.')) commas += 1;
      else points += 1;
    for (const [, first, , second] of text.matchAll(STROKES)) {
      if (Number(first) > 12 && Number(second) <= 12) dayFirst += 1;
      if (Number(second) > 12 && Number(first) <= 12) monthFirst += 1;
    }
  }
  const hints: CoercionHints = {};
  if (commas > points * MAJORITY) hints.decimal = ',';
  if (points > commas * MAJORITY) hints.decimal = '.';
  if (dayFirst > 0 !== monthFirst > 0) hints.dayFirst = dayFirst > 0;
  // Who writes 12,50, or Arabic, does not write the month first.
  else if (dayFirst === 0 && monthFirst === 0 && (hints.decimal === ',' || arabic > 0)) hints.dayFirst = true;
  return hints;
}
