import { MOST_MERGES, parseMerge, type Merge } from './merge-range.js';
import type { XlsxParts } from './xlsx-parts.js';

/** Columns beyond Excel's last are no columns. */
const MOST_COLUMNS = 16_384;

export interface RawFormula {
  /** '' where it is shared and stands elsewhere. */
  text: string;
  /** Which shared formula it is. */
  shared: string | null;
  kind: string;
  /** The cells that it fills, as `A1:B2`. */
  ref: string;
}

/** A cell as the sheet has it; row and column count from 0. */
export interface RawCell {
  row: number;
  column: number;
  type: string;
  style: number;
  text: string;
  formula: RawFormula | null;
}

export interface SheetReader {
  cell: (cell: RawCell) => void;
  /** After the cells of each row. */
  endRow?: (row: number) => void;
  merge?: (merge: Merge) => void;
  pause?: () => Promise<void>;
}

/** Reads the cells of a sheet as they come. */
export async function readSheet(parts: XlsxParts, part: string, reader: SheetReader): Promise<void> {
  let row = -1;
  let cell: RawCell = { row, column: -1, type: '', style: 0, text: '', formula: null };
  // Within a value or an inline text, or a formula; the text of phonetic hints is not the cell's.
  let takes: 'text' | 'formula' | null = null;
  let hints = 0;
  let merges = 0;
  await parts.read(part, {
    open: (name, attributes) => {
      if (name === 'row') {
        row = attributes.r === undefined ? row + 1 : Number(attributes.r) - 1;
        cell.column = -1;
      } else if (name === 'c') {
        const column = attributes.r === undefined ? cell.column + 1 : columnOf(attributes.r);
        cell = { row, column, type: attributes.t ?? 'n', style: Number(attributes.s ?? 0), text: '', formula: null };
      } else if (name === 'rPh') hints += 1;
      else if (name === 'f') {
        const { t: kind = '', si = '', ref = '' } = attributes;
        cell.formula = { text: '', shared: kind === 'shared' ? si : null, kind, ref };
        takes = 'formula';
      } else if (name === 'v' || name === 't') takes = hints === 0 ? 'text' : null;
      else if (name === 'mergeCell' && merges < MOST_MERGES) {
        const merge = parseMerge(attributes.ref ?? '');
        merges += 1;
        if (merge !== null) reader.merge?.(merge);
      }
    },
    close: (name) => {
      if (name === 'v' || name === 't' || name === 'f') takes = null;
      else if (name === 'rPh') hints -= 1;
      else if (name === 'c' && cell.column < MOST_COLUMNS) reader.cell(cell);
      else if (name === 'row') reader.endRow?.(row);
    },
    text: (piece) => {
      if (takes === 'text') cell.text += piece;
      else if (takes === 'formula') cell.formula!.text += piece;
    },
    ...(reader.pause ? { pause: reader.pause } : {}),
  });
}

/** Whether a cell has a formula without its value. An empty text is a value, and its type says so. */
export function isMissing({ formula, type, text }: RawCell, uncalculated: boolean): boolean {
  if (formula === null || type === 'str' || type === 's' || type === 'inlineStr') return false;
  return text.trim() === '' || (uncalculated && type === 'n' && Number(text) === 0);
}

/** The column of a cell's name, from 0: 27 for `AB12`. */
function columnOf(name: string): number {
  let column = 0;
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at) & ~32;
    if (code < 65 || code > 90) break;
    column = column * 26 + code - 64;
  }
  return column - 1;
}
