import type { SourceWord } from '../source/source-page.js';

/** Of the height of what it stands behind. */
const SMALLER = 0.85;

/** Whether a word is the small raised digits that point to a note, right behind another. */
export function isRaisedNote(text: string, before: SourceWord | undefined, word: SourceWord): boolean {
  if (before?.end !== word.start || !/^[\d*\u2020]{1,3}$/u.test(text.slice(word.start, word.end))) return false;
  const [height, usual] = [word.rect[3] - word.rect[1], before.rect[3] - before.rect[1]];
  return height < SMALLER * usual && word.rect[1] + word.rect[3] < before.rect[1] + before.rect[3];
}
