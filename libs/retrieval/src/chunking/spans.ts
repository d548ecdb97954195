import type { PageText, Span } from './chunk.js';

/** The lines of a page on which a passage stands, clipped to it. Lines are in the order of the text. */
export function spansOf(page: PageText, start: number, end: number): Span[] {
  const { lines = [] } = page;
  const spans: Span[] = [];
  for (let at = firstEndingAfter(lines, start); at < lines.length && lines[at]!.start < end; at++) {
    const line = lines[at]!;
    if (line.end > start) spans.push({ page: page.number, rect: line.rect, start: line.start, end: line.end });
  }
  return spans;
}

function firstEndingAfter(lines: NonNullable<PageText['lines']>, offset: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.end > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Where a quote stands. */
export interface QuoteSpan {
  page: number;
  /** Fractions of the page from its top-left corner: x0, y0, x1, y1. */
  rect: Span['rect'];
  /** The quote begins or ends within the line; where, is reckoned from the number of characters. */
  approximate: boolean;
}

/** A passage with its place on the page. */
export interface PlacedPassage {
  text: string;
  /** Offset of `text` in the text of the page. */
  start: number;
  spans: readonly Span[];
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/gu;

/**
 * The rectangles of a part of a passage, line by line; the lines of the whole passage where it was indexed before lines
 * had offsets.
 * @param start @param end of the quote, in `passage.text`
 */
export function spansOfQuote(passage: PlacedPassage, start: number, end: number): QuoteSpan[] {
  const from = passage.start + start;
  const to = passage.start + end;
  return passage.spans.flatMap((span): QuoteSpan[] => {
    const { page, rect } = span;
    if (span.start === undefined || span.end === undefined) return [{ page, rect, approximate: true }];
    if (span.end <= from || span.start >= to) return [];
    const first = Math.max(from, span.start);
    const last = Math.min(to, span.end);
    if (first === span.start && last === span.end) return [{ page, rect, approximate: false }];
    const line = passage.text.slice(Math.max(0, span.start - passage.start), span.end - passage.start);
    return [{ page, rect: partOf(rect, span.start, span.end, first, last, isRightToLeft(line)), approximate: true }];
  });
}

function partOf(
  rect: Span['rect'],
  start: number,
  end: number,
  first: number,
  last: number,
  fromRight: boolean,
): Span['rect'] {
  const [x0, y0, x1, y1] = rect;
  const before = ((first - start) / (end - start)) * (x1 - x0);
  const behind = ((end - last) / (end - start)) * (x1 - x0);
  return fromRight ? [x0 + behind, y0, x1 - before, y1] : [x0 + before, y0, x1 - behind, y1];
}

function isRightToLeft(line: string): boolean {
  return (line.match(RIGHT_TO_LEFT)?.length ?? 0) * 2 > (line.match(/\p{L}/gu)?.length ?? 0);
}
