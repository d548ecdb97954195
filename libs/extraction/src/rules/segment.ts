import type { PageRect, SourcePage } from '../source/source-page.js';

/** A piece of a word or of a text, with its place: points of the page, or letters and lines where it has no geometry. */
export interface Piece {
  start: number;
  end: number;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** What stands together in one line: a label, a value, a cell, or label and value. */
export interface Segment extends Piece {
  text: string;
  pieces: readonly Piece[];
  /** Of the page: index of its row in `PageLayout.rows`, and of it within the row, from left to right. */
  row: number;
  at: number;
  /** Address of a cell in a worksheet. */
  address: string | null;
  rtl: boolean;
}

export interface PageLayout {
  page: SourcePage;
  /** From top to bottom, each from left to right. */
  rows: Segment[][];
  /** Height of a usual line. */
  line: number;
  /** Points to fractions of the page; null where there is no geometry. */
  scale: { width: number; height: number } | null;
}

const ARABIC = /\p{Script=Arabic}/gu;
const OTHER = /\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}/gu;

export const isRightToLeft = (text: string): boolean =>
  (text.match(ARABIC)?.length ?? 0) > (text.match(OTHER)?.length ?? 0);

export function makeSegment(page: SourcePage, pieces: readonly Piece[], address: string | null = null): Segment {
  const start = Math.min(...pieces.map((piece) => piece.start));
  const end = Math.max(...pieces.map((piece) => piece.end));
  const text = page.text.slice(start, end);
  return {
    start,
    end,
    text,
    pieces,
    x0: Math.min(...pieces.map((piece) => piece.x0)),
    y0: Math.min(...pieces.map((piece) => piece.y0)),
    x1: Math.max(...pieces.map((piece) => piece.x1)),
    y1: Math.max(...pieces.map((piece) => piece.y1)),
    row: 0,
    at: 0,
    address,
    rtl: isRightToLeft(text),
  };
}

/** The rectangle around what of a segment stands between two offsets, in fractions of a page that can be shown. */
export function rectOf(layout: PageLayout, segment: Segment, start: number, end: number): PageRect | null {
  if (layout.scale === null || layout.page.isUnshown === true) return null;
  const pieces = segment.pieces.filter((piece) => piece.end > start && piece.start < end);
  const [first] = pieces;
  if (first === undefined) return null;
  const { width, height } = layout.scale;
  return [
    Math.min(...pieces.map((piece) => piece.x0)) / width,
    Math.min(...pieces.map((piece) => piece.y0)) / height,
    Math.max(...pieces.map((piece) => piece.x1)) / width,
    Math.max(...pieces.map((piece) => piece.y1)) / height,
  ];
}
