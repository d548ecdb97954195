import { RecursiveChunker } from '@chonkiejs/core';
import type { PageText, Span, TextChunk } from './chunk.js';

/**
 * Characters of a passage: some 250 to 400 tokens of English or Arabic. Long enough for an answer and its context,
 * short enough that a citation points somewhere.
 */
const TARGET = 1400;
/** A rest shorter than this joins its neighbour on the page. */
const SMALLEST = 250;
/** A page that is little longer than a passage stays whole: its two halves would rank below pages that have it all. */
const WHOLE = 2000;
/** How far a passage reaches back into the one before it, to a sentence's beginning, so that no sentence is cut from its context. */
const OVERLAP = 160;
/** Segmenting much text at once kills Node (design/dependencies.md); windows end at a line break where there is one. */
const WINDOW = 60_000;

/**
 * Cuts a document into passages. Each lies on one page, is a slice of the page's text (`text.slice(start, end)`), and
 * knows where on the page it stands when the page knows its lines. Pages without text give none.
 */
export async function chunkPages(pages: readonly PageText[]): Promise<TextChunk[]> {
  const chunker = await RecursiveChunker.create({ chunkSize: TARGET, minCharactersPerChunk: SMALLEST });
  const chunks: TextChunk[] = [];
  for (const page of pages) {
    for (const [start, end] of await rangesOf(page.text, chunker)) {
      const text = page.text.slice(start, end);
      const spans = spansOf(page, start, end);
      chunks.push({ ordinal: chunks.length, page: page.number, start, end, text, label: page.label ?? '', spans });
    }
  }
  return chunks;
}

type Range = [start: number, end: number];

async function rangesOf(text: string, chunker: RecursiveChunker): Promise<Range[]> {
  const whole = trimmed(text, [0, text.length]);
  if (whole[1] - whole[0] <= WHOLE) return whole[1] > whole[0] ? [whole] : [];
  const ranges: Range[] = [];
  for (const [from, to] of windows(text)) {
    const pieces = await chunker.chunk(text.slice(from, to));
    for (const { startIndex, endIndex } of pieces) ranges.push([from + startIndex, from + endIndex]);
  }
  return overlapped(text, joined(ranges.map((range) => trimmed(text, range)).filter(([start, end]) => end > start)));
}

function* windows(text: string): Generator<Range> {
  let from = 0;
  while (from < text.length) {
    const hard = Math.min(text.length, from + WINDOW);
    const line = hard < text.length ? text.lastIndexOf('\n', hard) : hard;
    const to = line > from + WINDOW / 2 ? line : hard;
    yield [from, to];
    from = to;
  }
}

function trimmed(text: string, [start, end]: Range): Range {
  const piece = text.slice(start, end);
  return [start + (piece.length - piece.trimStart().length), end - (piece.length - piece.trimEnd().length)];
}

function joined(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const [start, end] of ranges) {
    const last = result.at(-1);
    const small = end - start < SMALLEST || (last !== undefined && last[1] - last[0] < SMALLEST);
    if (last && small && end - last[0] <= TARGET + SMALLEST) last[1] = end;
    else result.push([start, end]);
  }
  return result;
}

function overlapped(text: string, ranges: readonly Range[]): Range[] {
  return ranges.map(([start, end], at) => {
    const previous = ranges[at - 1];
    if (!previous) return [start, end];
    const from = Math.max(previous[0], start - OVERLAP);
    const sentence = [...text.slice(from, start).matchAll(/[.!?؟۔\n]\s+(?=\S)/g)][0];
    return [sentence ? from + sentence.index + sentence[0].length : start, end];
  });
}

function spansOf(page: PageText, start: number, end: number): Span[] {
  const lines = (page.lines ?? []).filter((line) => line.start < end && line.end > start);
  return lines.map(({ rect }) => ({ page: page.number, rect }));
}
