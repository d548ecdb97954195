/** Cells that are shown as one; rows and columns count from 0, ends included. The value stands in the first cell. */
export interface Merge {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** Merges of a sheet that are heeded. A hostile sheet has one over every cell. */
export const MOST_MERGES = 20_000;

/** `B2:C9`; null for anything else, and for a single cell. */
export function parseMerge(range: string): Merge | null {
  const found = /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})$/i.exec(range);
  if (!found) return null;
  const [, left, top, right, bottom] = found;
  const merge = { top: Number(top) - 1, bottom: Number(bottom) - 1, left: letters(left!), right: letters(right!) };
  const single = merge.top === merge.bottom && merge.left === merge.right;
  return single || merge.bottom < merge.top || merge.right < merge.left ? null : merge;
}

const letters = (name: string): number =>
  [...name.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
