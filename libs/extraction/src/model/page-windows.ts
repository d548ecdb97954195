import { estimateTokens } from '@app/models';
import type { SourcePage } from '../source/source-page.js';

/** A part of a page, as a page of its own; `base` is where it begins in the whole one. */
export interface PageSlice {
  page: SourcePage;
  base: number;
}

/** What a model reads at once. */
export type PageWindow = readonly PageSlice[];

interface Line {
  /** Index of its page. */
  at: number;
  start: number;
  end: number;
  tokens: number;
}

/** Of a window that comes again in the next one, so that what a border cuts is whole in one of them. */
const OVERLAP = 0.1;
/** Longer lines are cut. */
const LONGEST_LINE = 2_000;
/** The mark before each page. */
const PER_PAGE_TOKENS = 12;

/** The whole document where it has room, else windows that overlap, in reading order. @param tokens room of one */
export function toWindows(pages: readonly SourcePage[], tokens: number): PageWindow[] {
  const lines = pages.flatMap((page, at) => linesOf(page.text, at));
  const windows: PageWindow[] = [];
  for (let first = 0; first < lines.length;) {
    const end = fill(lines, first, tokens);
    windows.push(toSlices(pages, lines.slice(first, end)));
    if (end === lines.length) break;
    first = Math.max(first + 1, stepBack(lines, end, tokens * OVERLAP));
  }
  return windows;
}

/** What a half has of a whole, the overlap included; more where lines do not come out even. */
const HALVES = [0.56, 0.62, 0.7, 0.8];

/** Two halves of a window that was too much. Null: it cannot be halved. */
export function halve(window: PageWindow): [PageWindow, PageWindow] | null {
  const pages = window.map(({ page }) => page);
  const lines = pages.flatMap((page, at) => linesOf(page.text, at));
  const total = lines.reduce((sum, { tokens }) => sum + tokens, PER_PAGE_TOKENS * pages.length);
  const bases = new Map(window.map(({ page: { number }, base }) => [number, base]));
  const inWhole = (half: PageWindow): PageWindow =>
    half.map(({ page, base }) => ({ page, base: base + bases.get(page.number)! }));
  for (const share of HALVES) {
    const [first, second, ...more] = toWindows(pages, Math.ceil(total * share));
    if (first && second && more.length === 0) return [inWhole(first), inWhole(second)];
  }
  return null;
}

export function textOf(window: PageWindow): string {
  return window
    .map(({ page: { number, label, text } }) => `[page ${number}${label ? `: ${label}` : ''}]\n${text}`)
    .join('\n\n');
}

function linesOf(text: string, at: number): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf('\n', start);
    const whole = feed === -1 ? text.length : feed + 1;
    const end = whole - start > LONGEST_LINE ? cutBefore(text, start, start + LONGEST_LINE) : whole;
    lines.push({ at, start, end, tokens: estimateTokens(text.slice(start, end)) });
    start = end;
  }
  return lines;
}

/** At a space where there is one, and never between the halves of a character. */
function cutBefore(text: string, start: number, most: number): number {
  const space = text.lastIndexOf(' ', most - 1);
  if (space > start + LONGEST_LINE / 2) return space + 1;
  const code = text.charCodeAt(most - 1);
  return code >= 0xd800 && code < 0xdc00 ? most - 1 : most;
}

function fill(lines: readonly Line[], first: number, tokens: number): number {
  let used = 0;
  for (let at = first; at < lines.length; at += 1) {
    const isNewPage = at === first || lines[at]!.at !== lines[at - 1]!.at;
    used += lines[at]!.tokens + (isNewPage ? PER_PAGE_TOKENS : 0);
    if (used > tokens && at > first) return at;
  }
  return lines.length;
}

function stepBack(lines: readonly Line[], end: number, tokens: number): number {
  let used = 0;
  for (let at = end - 1; at >= 0; at -= 1) {
    used += lines[at]!.tokens;
    if (used > tokens) return at + 1;
  }
  return 0;
}

function toSlices(pages: readonly SourcePage[], lines: readonly Line[]): PageSlice[] {
  return [...Map.groupBy(lines, ({ at }) => at)].map(([at, own]) => slice(pages[at]!, own[0]!.start, own.at(-1)!.end));
}

function slice(page: SourcePage, start: number, end: number): PageSlice {
  if (start === 0 && end === page.text.length) return { page, base: 0 };
  const { words, cells, fields: _fields, ...rest } = page;
  const within = <T extends { start: number; end: number }>(parts: readonly T[]) =>
    parts
      .filter((part) => part.start >= start && part.end <= end)
      .map((part) => ({ ...part, start: part.start - start, end: part.end - start }));
  return {
    page: {
      ...rest,
      text: page.text.slice(start, end),
      ...(words && { words: within(words) }),
      ...(cells && { cells: within(cells) }),
    },
    base: start,
  };
}
