import type { JudgedCell, Place } from './judged-cell.js';
import { sameValue } from './same-value.js';

/** Cells of one line item by name of column. */
export type JudgedRow = ReadonlyMap<string, JudgedCell>;

/** Of the places that two rows have: more than so many have to be the same for the rows to be so. */
const SAME_SHARE = 0.5;

/**
 * Line items of all windows in the order of the document. What overlapping windows, or one answer, give twice is known by
 * its place: rows that look the same and stand at different places stay apart.
 * @param windows the rows of each, in the order of the answer
 */
export function mergeItems(windows: readonly (readonly JudgedRow[])[]): JudgedRow[] {
  const shared = sharedPlaces(windows);
  const kept: JudgedRow[] = [];
  const byPlace = new Map<string, JudgedRow[]>();
  for (const row of windows.flat()) {
    const keys = keysOf(row, shared);
    const twin = keys.flatMap((key) => byPlace.get(key) ?? []).find((other) => isSame(row, other, shared));
    if (twin) {
      if (provedIn(row) > provedIn(twin)) replace(kept, byPlace, twin, row, shared);
      continue;
    }
    kept.push(row);
    for (const key of keys) byPlace.set(key, [...(byPlace.get(key) ?? []), row]);
  }
  return inOrder(kept, shared);
}

function replace(
  kept: JudgedRow[],
  byPlace: Map<string, JudgedRow[]>,
  old: JudgedRow,
  row: JudgedRow,
  shared: ReadonlySet<string>,
): void {
  kept[kept.indexOf(old)] = row;
  for (const [key, rows] of byPlace)
    byPlace.set(
      key,
      rows.filter((one) => one !== old),
    );
  for (const key of keysOf(row, shared)) byPlace.set(key, [...(byPlace.get(key) ?? []), row]);
}

const keyOf = (column: string, { page, start }: Place) => `${column} ${page}:${start}`;

/** What the document says once for many items is the place of none of them. */
function sharedPlaces(windows: readonly (readonly JudgedRow[])[]): Set<string> {
  const shared = new Set<string>();
  for (const rows of windows) {
    const counts = new Map<string, number>();
    for (const row of rows)
      for (const [column, { at }] of row)
        if (at) counts.set(keyOf(column, at), (counts.get(keyOf(column, at)) ?? 0) + 1);
    // Of two alike only: an answer that gives one row twice.
    for (const [key, count] of counts) if (count > 2) shared.add(key);
  }
  return shared;
}

/** Places of its own; of a row that has none, those that it shares. */
function keysOf(row: JudgedRow, shared: ReadonlySet<string>): string[] {
  const all = [...row].flatMap(([column, { at }]) => (at ? [keyOf(column, at)] : []));
  const own = all.filter((key) => !shared.has(key));
  return own.length > 0 ? own : all;
}

function isSame(a: JudgedRow, b: JudgedRow, shared: ReadonlySet<string>): boolean {
  const own = new Set(keysOf(a, shared));
  const other = keysOf(b, shared);
  const both = other.filter((key) => own.has(key)).length;
  if (both <= SAME_SHARE * Math.min(own.size, other.length)) return false;
  return !other.every((key) => shared.has(key)) || hasSameValues(a, b);
}

function hasSameValues(a: JudgedRow, b: JudgedRow): boolean {
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].every((name) => sameValue(a.get(name)?.value ?? null, b.get(name)?.value ?? null));
}

const provedIn = (row: JudgedRow) => [...row.values()].filter(({ evidence }) => evidence.status === 'anchored').length;

/** Rows without a place of their own stay behind the one that they were given after. */
function inOrder(rows: readonly JudgedRow[], shared: ReadonlySet<string>): JudgedRow[] {
  let last: [number, number] = [0, 0];
  const placed = rows.map((row, index) => {
    const places = [...row].flatMap(([column, { at }]) =>
      at && !shared.has(keyOf(column, at)) ? [[at.page, at.start] as [number, number]] : [],
    );
    last = places.toSorted(byPosition)[0] ?? last;
    return { row, at: last, index };
  });
  return placed.toSorted((a, b) => byPosition(a.at, b.at) || a.index - b.index).map(({ row }) => row);
}

const byPosition = (a: [number, number], b: [number, number]) => a[0] - b[0] || a[1] - b[1];
