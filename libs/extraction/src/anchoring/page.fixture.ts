import type { SourcePage, SourceWord } from '../source/source-page.js';

/** A piece of a line and where it stands: in hundredths of the page, each letter one wide. */
export type Piece = [x: number, y: number, text: string];

/** A page whose pieces are lines of its text, unless they are given on the same height. */
export function pageOf(pieces: readonly Piece[], page: Partial<SourcePage> = {}): SourcePage {
  let text = '';
  let before = -1;
  const words: SourceWord[] = [];
  for (const [x, y, written] of pieces) {
    if (text !== '') text += y === before ? ' ' : '\n';
    before = y;
    for (const match of written.matchAll(/\S+/g)) {
      const start = text.length + match.index;
      const [left, right] = [x + match.index, x + match.index + match[0].length];
      words.push({ start, end: start + match[0].length, rect: [left / 100, y / 100, right / 100, (y + 1.5) / 100] });
    }
    text += written;
  }
  return { number: 1, text, ocr: false, width: 600, height: 800, words, ...page };
}

/** A page of text without geometry. */
export const textOf = (text: string, page: Partial<SourcePage> = {}): SourcePage => ({
  number: 1,
  text,
  ocr: false,
  ...page,
});
