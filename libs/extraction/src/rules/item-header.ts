import type { AskedField } from './asked-field.js';
import type { Cuts } from './item-cuts.js';
import { isItemHeader } from './document-labels.js';
import { labelKey } from './label-key.js';
import { ITEM_LABELS } from './item-lexicon.js';
import type { PageLayout, Piece, Segment } from './segment.js';

/** Than a blank between words: what parts two headings. */
const WIDER = 1.4;

/** In heights of a line: headings of two lines stand closer than rows, but in sheets, where all rows stand alike. */
const CLOSE = 0.5;
const SHEET_GAP = 0.6;
const isSheet = (row: readonly Segment[]) => row.every(({ address }) => address !== null);

/** A column of a table on a page, asked for or not. */
export interface HeaderColumn {
  key: string;
  x0: number;
  x1: number;
  /** Index of the column that it answers. */
  asked: number | null;
}

export interface ItemHeader {
  columns: HeaderColumn[];
  /** Index of the last row of the heading. */
  row: number;
  y1: number;
  /** Asked columns that several of its headings may answer. */
  unclear: ReadonlySet<number>;
  matched: number;
  /** Where its columns end, as its first page's lines show it. */
  cuts: Cuts;
}

/** A line of more is no row of a table that anybody reads. */
export const MOST_CELLS = 300;

/** The heading of a table at a row of the page, of up to three lines; null where there is none. */
export function headerAt(layout: PageLayout, index: number, asked: readonly AskedField[]): ItemHeader | null {
  const row = layout.rows[index] ?? [];
  if (row.length > MOST_CELLS) return null;
  const own = new Set(asked.flatMap(({ tiers }) => tiers.flatMap((tier) => [...tier])));
  const isLabel = (key: string) => own.has(key) || ITEM_LABELS.has(key);
  const blank = blankOf(layout);
  const single = toHeader(
    row.flatMap((one) => split(one, isLabel, blank)),
    index,
    asked,
  );
  const lines = [...row];
  let best = single;
  for (const below of [1, 2]) {
    const next = layout.rows[index + below] ?? [];
    const bottom = Math.max(...lines.map(({ y1 }) => y1));
    const top = Math.min(...next.map(({ y0 }) => y0));
    if (
      next.length === 0 ||
      next.length > MOST_CELLS ||
      top - bottom >= layout.line * (isSheet(row) ? SHEET_GAP : CLOSE) ||
      next.some(({ text }) => /\d/.test(text))
    )
      break;
    lines.push(...next);
    const more = toHeader(stacked(lines, isLabel, own, blank), index + below, asked);
    if (more !== null && more.matched > (best?.matched ?? 0)) best = more;
  }
  if (best === null) return null;
  const textual = row.filter(({ text }) => !/\d/.test(text)).length;
  if (textual * 2 < row.length) return null;
  const enough =
    best.matched >= 2 || (best.matched === 1 && (isItemHeader(row) || asked.length === 1) && row.length >= 2);
  return enough ? best : null;
}

interface Heading {
  text: string;
  x0: number;
  x1: number;
  y1: number;
}

const heading = (text: string, pieces: readonly Piece[]): Heading => ({
  text,
  x0: Math.min(...pieces.map(({ x0 }) => x0)),
  x1: Math.max(...pieces.map(({ x1 }) => x1)),
  y1: Math.max(...pieces.map(({ y1 }) => y1)),
});

/** Headings that stand so close that they look like one: "Qty Unit price". */
function split(segment: Segment, isLabel: (key: string) => boolean, blank: number): Heading[] {
  const { pieces, start, text } = segment;
  const whole = heading(text, pieces);
  if (isLabel(labelKey(text)) || pieces.length < 2 || pieces.length > 20) return [whole];
  const found: Heading[] = [];
  for (let at = 0; at < pieces.length;) {
    let end = pieces.length;
    for (; end > at; end -= 1) {
      const part = text.slice((pieces[at]?.start ?? 0) - start, (pieces[end - 1]?.end ?? 0) - start);
      if (!isLabel(labelKey(part))) continue;
      found.push(heading(part, pieces.slice(at, end)));
      break;
    }
    if (end === at) return byBlanks(segment, blank);
    at = end;
  }
  return found;
}

/** Headings of which some are no labels that are known: parted where blanks are wider than those between words. */
function byBlanks({ pieces, start, text }: Segment, blank: number): Heading[] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const before = groups.at(-1)?.at(-1);
    if (before !== undefined && piece.x0 - before.x1 <= blank * WIDER) groups.at(-1)?.push(piece);
    else groups.push([piece]);
  }
  return groups.map((group) =>
    heading(text.slice((group[0]?.start ?? 0) - start, (group.at(-1)?.end ?? 0) - start), group),
  );
}

const blanks = new WeakMap<PageLayout, number>();
/** How wide the blank between two words of a page usually is. */
function blankOf(layout: PageLayout): number {
  const known = blanks.get(layout);
  if (known !== undefined) return known;
  const gaps = layout.rows
    .flat()
    .flatMap(({ pieces }) => pieces.slice(1).map((piece, at) => piece.x0 - (pieces[at]?.x1 ?? piece.x0)))
    .filter((gap) => gap > 0.5)
    .sort((a, b) => a - b);
  const blank = gaps[Math.floor(gaps.length / 3)] ?? layout.line * 0.3;
  blanks.set(layout, blank);
  return blank;
}

/** Headings in two lines: what stands above each other is one, unless the lower one is a label that the group above only gathers. */
function stacked(
  segments: readonly Segment[],
  isLabel: (key: string) => boolean,
  own: ReadonlySet<string>,
  blank: number,
): Heading[] {
  const rank = (key: string) => (own.has(key) ? 2 : isLabel(key) ? 1 : 0);
  const found: Heading[] = [];
  for (const segment of segments)
    for (const one of split(segment, isLabel, blank)) {
      const above = found.find((other) => other.x0 < one.x1 && other.x1 > one.x0);
      if (!above) {
        found.push({ ...one });
        continue;
      }
      const both = `${above.text} ${one.text}`;
      Object.assign(above, {
        text: rank(labelKey(one.text)) > rank(labelKey(both)) ? one.text : both,
        x0: Math.min(above.x0, one.x0),
        x1: Math.max(above.x1, one.x1),
        y1: one.y1,
      });
    }
  return found.sort((a, b) => a.x0 - b.x0);
}

function toHeader(headings: readonly Heading[], row: number, asked: readonly AskedField[]): ItemHeader | null {
  if (headings.length === 0) return null;
  const columns: HeaderColumn[] = headings.map(({ text, x0, x1 }) => ({ key: labelKey(text), x0, x1, asked: null }));
  const unclear = new Set<number>();
  const free = (keys: ReadonlySet<string>, bare: boolean) =>
    columns.filter(
      (one, at) =>
        one.asked === null && keysOf(bare ? bareKey(headings[at]!.text) : one.key).some((key) => keys.has(key)),
    );
  // A column's very name first, then what is called so otherwise, then either without the unit in brackets behind a heading.
  const ways: { names: (one: AskedField) => readonly ReadonlySet<string>[]; bare: boolean }[] = [false, true].flatMap(
    (bare) => [
      { names: (one: AskedField) => [new Set([labelKey(one.column.name)])], bare },
      { names: (one: AskedField) => one.tiers, bare },
    ],
  );
  for (const { names, bare } of ways)
    for (const [index, one] of asked.entries()) {
      if (one.understanding || unclear.has(index) || columns.some((column) => column.asked === index)) continue;
      for (const tier of names(one)) {
        const [first, ...more] = free(tier, bare);
        if (first === undefined) continue;
        if (more.length === 0) first.asked = index;
        else unclear.add(index);
        break;
      }
    }
  const matched = columns.filter((one) => one.asked !== null).length;
  const y1 = Math.max(...headings.map((one) => one.y1));
  return matched === 0 ? null : { columns, row, y1, unclear, matched, cuts: null };
}

/** "Delivery time (days)", "Length [mm]". */
const bareKey = (text: string) => labelKey(text.replace(/\s*[([][^()[\]]{1,20}[)\]]\s*$/u, ''));

/** "Description / البيان": either language. */
function keysOf(key: string): string[] {
  const parts = [/[^\p{Script=Arabic} ]+/gu, /\p{Script=Arabic}+/gu].map((other) =>
    key.replace(other, ' ').replace(/ +/g, ' ').trim(),
  );
  return [key, ...parts.filter((part) => part !== '' && part !== key)];
}
