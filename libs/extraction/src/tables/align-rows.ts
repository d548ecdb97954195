import { isSameValue, valueOf } from './values.js';

/** How far from its former place a row is looked for: documents list what they list in an order. */
const WINDOW = 500;

export interface RowToAlign {
  data: Record<string, unknown>;
  /** Names of the columns that a person edited or verified: they say nothing of what a document says. */
  kept: ReadonlySet<string>;
}

/**
 * Which of the rows that are there is which of those that were read anew. A row with work of a person in it is looked for
 * by its other values, wherever it stands now; the rest follow in their order. Null: it is among the new ones no more.
 * @returns for each row that is there the index of the new one
 */
export function alignRows(
  there: readonly RowToAlign[],
  read: readonly Record<string, unknown>[],
  columns: readonly string[],
): (number | null)[] {
  // The one row of a document is its row, however differently it is read this time.
  if (there.length === 1 && read.length === 1) return [0];
  const matches: (number | null)[] = there.map(() => null);
  const taken = new Set<number>();
  const take = (row: number, index: number) => {
    matches[row] = index;
    taken.add(index);
  };
  for (const [row, { data, kept }] of there.entries()) {
    if (kept.size === 0) continue;
    const compared = columns.filter((name) => !kept.has(name) && valueOf(data, name) !== null);
    const sameAs = (index: number): number =>
      compared.filter((name) => isSameValue(valueOf(data, name), valueOf(read[index]!, name))).length;
    let best: { index: number; same: number } | null = null;
    // From its own place outwards; nothing but its place is left to know it by where all of it is a person's.
    const reach = compared.length === 0 ? 0 : WINDOW;
    for (let distance = 0; distance <= reach && best?.same !== compared.length; distance += 1)
      for (const index of distance === 0 ? [row] : [row - distance, row + distance]) {
        if (index < 0 || index >= read.length || taken.has(index)) continue;
        const same = sameAs(index);
        if (same * 2 >= compared.length && same > (best?.same ?? -1)) best = { index, same };
      }
    if (best !== null) take(row, best.index);
  }
  let next = 0;
  for (const [row, { kept }] of there.entries()) {
    if (kept.size > 0) continue;
    while (taken.has(next)) next += 1;
    if (next >= read.length) break;
    take(row, next);
  }
  return matches;
}
