import type { Segment } from './page-tables.js';

/** PDFium marks a hyphen that it takes for a hyphenation at a line's end; the word goes on after it. */
const HYPHENATION = 0x02;
const LINE_FEED = 0x0a;
/** In heights of a letter: blanks of justified lines stay below, gaps between cells above. */
const CELL_GAP = 0.75;

/** A line of the page's characters, from `first` to before `end`. */
export interface CharacterLine {
  first: number;
  end: number;
  /** Its last word goes on in the next line. */
  isHyphenated: boolean;
}

/** The lines of a page that hold anything. @param codes UTF-16 as PDFium gives them */
export function findLines(codes: Uint16Array): CharacterLine[] {
  const lines: CharacterLine[] = [];
  let first = 0;
  for (let at = 0; at <= codes.length; at += 1) {
    const code = codes[at] ?? LINE_FEED;
    if (code !== LINE_FEED && code !== HYPHENATION) continue;
    if (textOf(codes.subarray(first, at)).trim() !== '')
      lines.push({ first, end: at, isHyphenated: code === HYPHENATION });
    first = at + 1;
  }
  return lines;
}

/** Words between what a hyphen leaves out for the one before them: "Haupt- und Nebenkosten". */
const BETWEEN_PARTS = /^(?:und|oder|bzw|sowie|and|or|en|of|et|ou|y|o|e)\b/;

/**
 * How a line goes on that ends with a hyphen: one within a word goes, one of the word itself stays, as in "AB-123",
 * "state-of-the-art" and "Ein- und Ausgang".
 * @returns what ends the line, and whether the next one goes on without a blank
 */
export function lineEnd(line: string, next: string): { end: '' | '-'; joined: boolean } {
  const after = next.trimStart();
  if (BETWEEN_PARTS.test(after)) return { end: '-', joined: false };
  const word = /\S*$/.exec(line.trimEnd())?.[0] ?? '';
  const isDivided = /\p{L}$/u.test(word) && !/[-\u2010\d]/.test(word) && /^[^\p{Lu}\p{N}]/u.test(after);
  return { end: isDivided ? '' : '-', joined: true };
}

/**
 * What stands apart within a line, by the places of the letters beside its blanks: each question to PDFium costs.
 * @param boxOf the place of a character
 */
export function segmentsOf(
  codes: Uint16Array,
  { first, end }: CharacterLine,
  boxOf: (at: number) => Segment,
): Segment[] {
  const segments: Segment[] = [];
  let from = first;
  let box: Segment | null = null;
  const close = (at: number) => {
    if (box !== null) segments.push({ ...box, text: textOf(codes.subarray(from, at)).trim(), ranges: [[from, at]] });
  };
  for (let at = first; at < end; at += 1) {
    if (isBlank(codes[at])) continue;
    const starts = at === first || isBlank(codes[at - 1]);
    const ends = at + 1 === end || isBlank(codes[at + 1]);
    if (!starts && !ends) continue;
    const here = boxOf(at);
    if (box === null || (starts && gapBetween(box, here) > (here.y1 - here.y0) * CELL_GAP)) {
      close(at);
      from = at;
      box = here;
    } else box = around(box, here);
  }
  close(end);
  return segments;
}

/** In pieces, since a function takes only so many arguments. */
export function textOf(codes: Uint16Array): string {
  let text = '';
  for (let at = 0; at < codes.length; at += 4096) text += String.fromCharCode(...codes.subarray(at, at + 4096));
  return text;
}

function isBlank(code: number | undefined): boolean {
  return code === undefined || [0x20, 0x0d, 0x09, 0xa0].includes(code);
}

/** To the right or, in right-to-left lines, to the left. */
function gapBetween(a: Segment, b: Segment): number {
  return Math.max(b.x0 - a.x1, a.x0 - b.x1);
}

function around(a: Segment, b: Segment): Segment {
  const [x0, x1] = [Math.min(a.x0, b.x0), Math.max(a.x1, b.x1)];
  return { text: '', x0, x1, y0: Math.min(a.y0, b.y0), y1: Math.max(a.y1, b.y1) };
}
