import type { LanguageCode } from '../analysis/language.js';
import { blocksOf, type TextRange } from '../text/blocks.js';
import { isHeading, sentencesOfBlock } from '../text/sentences.js';
import { cutLong } from './cut-long.js';

/** How good a place for the end of a passage is before a unit. */
export const BREAK = { WITHIN: 0, SENTENCE: 1, BLOCK: 2, PARAGRAPH: 3, HEADING: 4 } as const;
export type BreakStrength = (typeof BREAK)[keyof typeof BREAK];

/** What a passage is made of: a sentence, heading, item or row; or a piece of one that is longer than a passage. */
export interface Unit extends TextRange {
  /** Of the place before it. */
  breakBefore: BreakStrength;
  isRow: boolean;
  isHeading: boolean;
}

/** Longer than any heading. */
const LOOK = 200;
/** A row is left whole up to this length. */
export const LONGEST_ROW = 4000;

/** The units of a page, in order. @param longest of a unit, in characters */
export function unitsOf(text: string, language: LanguageCode, longest: number): Unit[] {
  const units: Unit[] = [];
  let underHeading = false;
  for (const block of blocksOf(text)) {
    const { isRow } = block;
    const heads =
      !isRow &&
      (block.afterBlank || /^[#\d]/.test(text[block.start]!)) &&
      isHeading(text.slice(block.start, Math.min(block.end, block.start + LOOK)));
    // A heading goes with what stands under it.
    let breakBefore: BreakStrength = block.afterBlank ? BREAK.PARAGRAPH : BREAK.BLOCK;
    if (underHeading) breakBefore = BREAK.WITHIN;
    else if (heads && block.afterBlank) breakBefore = BREAK.HEADING;
    for (const sentence of sentencesOfBlock(text, block, language)) {
      for (const piece of cutLong(text, sentence, isRow ? LONGEST_ROW : longest)) {
        units.push({ ...piece, breakBefore, isRow, isHeading: heads });
        breakBefore = BREAK.WITHIN;
      }
      breakBefore = BREAK.SENTENCE;
    }
    underHeading = heads;
  }
  return units;
}
