import type { SourcePage } from '../source/source-page.js';
import { makeSegment, type PageLayout, type Piece, type Segment } from './segment.js';

/** A4, for pages that do not say their size. */
const WIDTH = 595;
const HEIGHT = 842;
/** In heights of a word: blanks of justified lines stay below, gaps between cells above. */
const GAP = 0.75;
/** What leads the eye from a label to its value is neither. */
const LEADERS = /^_+|_+$|\.{3,}|(?:\. ){3,}|_{3,}|…+|·{3,}|[|¦]+|-{4,}/gu;
/** Cells of a text without geometry. */
const CELL_WIDTH = 60;
const LETTER = 0.5;
/** A page of more is nobody's form; what is behind is not looked at. */
const MAX_PIECES = 60_000;

/** The page as rows of what stands together, by its words' places, its worksheet's cells, or its lines of text. */
export function layOut(page: SourcePage): PageLayout {
  if (page.cells !== undefined && page.cells.length > 0) return ofCells(page);
  if (page.words !== undefined && page.words.length > 0) return ofWords(page);
  return ofText(page);
}

function ofWords(page: SourcePage): PageLayout {
  const scale = { width: page.width ?? WIDTH, height: page.height ?? HEIGHT };
  const pieces = (page.words ?? []).slice(0, MAX_PIECES).flatMap(({ start, end, rect: [x0, y0, x1, y1] }) =>
    withoutLeaders(page.text, {
      start,
      end,
      x0: x0 * scale.width,
      y0: y0 * scale.height,
      x1: x1 * scale.width,
      y1: y1 * scale.height,
    }),
  );
  const segments: Segment[] = [];
  let open: Piece[] = [];
  for (const piece of pieces) {
    const before = open.at(-1);
    if (before !== undefined && !goesOn(page.text, before, piece)) {
      segments.push(makeSegment(page, open));
      open = [];
    }
    open.push(piece);
  }
  if (open.length > 0) segments.push(makeSegment(page, open));
  const heights = segments.map(({ y0, y1 }) => y1 - y0).sort((a, b) => a - b);
  return { page, rows: inRows(segments), line: heights[Math.floor(heights.length / 2)] ?? 12, scale };
}

/** Words in the order of the text that stand close to each other in one line. */
function goesOn(text: string, before: Piece, piece: Piece): boolean {
  const height = Math.max(before.y1 - before.y0, piece.y1 - piece.y0);
  const overlap = Math.min(before.y1, piece.y1) - Math.max(before.y0, piece.y0);
  if (overlap < Math.min(before.y1 - before.y0, piece.y1 - piece.y0) * 0.5) return false;
  if (Math.max(piece.x0 - before.x1, before.x0 - piece.x1) > height * GAP) return false;
  if (piece.start < before.end) return false;
  // Readers of pages set bars between cells, now and then within one.
  const between = text.slice(before.end, piece.start).trim();
  if (text.slice(before.end, piece.start).includes('\n')) return false;
  return between === '' || (between === '|' && Math.max(piece.x0 - before.x1, before.x0 - piece.x1) < height * 0.4);
}

function withoutLeaders(text: string, word: Piece): Piece[] {
  const own = text.slice(word.start, word.end);
  if (!/\.{3}|^_|_$|_{3}|…|·{3}|[|¦]|-{4}/u.test(own)) return [word];
  const pieces: Piece[] = [];
  const wide = (word.x1 - word.x0) / Math.max(1, own.length);
  let from = 0;
  const add = (to: number) => {
    if (own.slice(from, to).trim() === '') return;
    pieces.push({
      ...word,
      start: word.start + from,
      end: word.start + to,
      x0: word.x0 + from * wide,
      // Leaders part what stands before from what stands behind them.
      x1: word.x0 + to * wide,
    });
  };
  for (const match of own.matchAll(LEADERS)) {
    add(match.index);
    from = match.index + match[0].length;
  }
  add(own.length);
  return pieces;
}

const middle = ({ y0, y1 }: Piece) => (y0 + y1) / 2;

function inRows(segments: readonly Segment[]): Segment[][] {
  const rows: Segment[][] = [];
  let center = 0;
  for (const segment of segments.toSorted((a, b) => middle(a) - middle(b))) {
    const row = rows.at(-1);
    const [first] = row ?? [];
    const near =
      first && Math.abs(middle(segment) - center) < Math.min(segment.y1 - segment.y0, first.y1 - first.y0) * 0.5;
    if (row && near) {
      row.push(segment);
      center += (middle(segment) - center) / row.length;
    } else {
      rows.push([segment]);
      center = middle(segment);
    }
  }
  for (const [index, row] of rows.entries()) {
    row.sort((a, b) => a.x0 - b.x0);
    for (const [at, segment] of row.entries()) Object.assign(segment, { row: index, at });
  }
  return rows;
}

function ofCells(page: SourcePage): PageLayout {
  const segments = (page.cells ?? []).slice(0, MAX_PIECES).flatMap(({ start, end, address }) => {
    const match = /^([A-Z]{1,3})(\d{1,7})$/.exec(address);
    if (!match || page.text.slice(start, end).trim() === '') return [];
    const column = [...(match[1] ?? '')].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
    const row = Number(match[2]);
    const box = { x0: column * CELL_WIDTH, x1: column * CELL_WIDTH + CELL_WIDTH - 1, y0: row * 1.5, y1: row * 1.5 + 1 };
    return [makeSegment(page, [{ start, end, ...box }], address)];
  });
  return { page, rows: inRows(segments), line: 1, scale: null };
}

/** Lines of text: cells parted by bars or tabs stand in columns, others where their letters stand. */
function ofText(page: SourcePage): PageLayout {
  const segments: Segment[] = [];
  let offset = 0;
  let line = 0;
  for (const text of page.text.split('\n')) {
    if (segments.length > MAX_PIECES) break;
    // Between the rows of a table in Markdown, or a rule.
    if (/\p{L}|\p{N}/u.test(text)) segments.push(...cellsOf(page, text, offset, line));
    else if (text.trim() !== '' && /^[\s|:+-]+$/.test(text)) line -= 1;
    offset += text.length + 1;
    line += 1;
  }
  return { page, rows: inRows(segments), line: 1, scale: null };
}

function cellsOf(page: SourcePage, text: string, offset: number, line: number): Segment[] {
  const barred = / \| |^\s*\||\t/.test(text);
  const parts = barred ? /\s*\|\s*|\t/gu : / {2,}|\.{3,} ?|(?:\. ){3,}|_{3,}|…+ ?/gu;
  const cells: Segment[] = [];
  let from = 0;
  let column = 0;
  const add = (to: number) => {
    const cell = text.slice(from, to);
    const lead = cell.length - cell.trimStart().length;
    const own = cell.trim();
    if (own === '' || !/[\p{L}\p{N}\p{S}]/u.test(own)) return;
    const start = offset + from + lead;
    const x0 = barred ? column * CELL_WIDTH : (from + lead) * LETTER;
    const x1 = barred ? x0 + CELL_WIDTH - 1 : x0 + own.length * LETTER;
    cells.push(makeSegment(page, [{ start, end: start + own.length, x0, x1, y0: line * 1.3, y1: line * 1.3 + 1 }]));
  };
  for (const match of text.matchAll(parts)) {
    if (match.index > 0 || match[0].trim() === '') {
      add(match.index);
      if (match.index > 0) column += 1;
    }
    from = match.index + match[0].length;
  }
  add(text.length);
  return cells;
}
