import { ExtractionError } from '../../pipeline/extraction-error.js';
import { findHeaderRow, type SampleRow } from './header-row.js';
import { uniqueSqlNames } from './names.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import type { TableBuilder } from './table-builder.js';

/** Where a staged table begins, and what its columns are called. */
export interface TablePlan {
  /** Index of the staged row with the names; null without one. */
  header: number | null;
  /** Index of the first staged row that may be data. */
  firstRow: number;
  /** Cells of the header up to its last name. */
  namedColumns: number;
  /** The columns that have a name or a value. */
  columns(builder: TableBuilder, staged: StagedTable): Promise<PlannedColumn[]>;
}

/**
 * @param sample the first staged rows
 * @param headerRow `auto`, `0` for none, or the row of the file or sheet, counted from 1
 * @param rowsAbove rows of the sheet above the first staged one
 */
export function planTable(sample: readonly SampleRow[], headerRow: string, rowsAbove: number): TablePlan {
  const { header, firstRow } = headerRow === 'auto' ? findHeaderRow(sample) : givenHeader(Number(headerRow), rowsAbove);
  const names = header === null ? [] : sample[header];
  if (names === undefined)
    throw new ExtractionError('empty', `Row ${headerRow}, which should be the header, is not among the first rows.`);
  const originals = names.map((name) => (name ?? '').replace(/\s+/g, ' ').trim());
  return {
    header,
    firstRow,
    namedColumns: originals.findLastIndex((name) => name !== '') + 1,
    async columns(builder, staged) {
      const filled = await builder.filledColumns(staged, firstRow);
      const kept = filled.flatMap((hasValues, index) => (hasValues || (originals[index] ?? '') !== '' ? [index] : []));
      const named = kept.map((index) => originals[index] ?? '');
      const unique = uniqueSqlNames(named, builder.reserved, (at) => `column_${kept[at]! + 1}`);
      return kept.map((index, at) => ({ index, name: unique[at]!, originalName: named[at]! }));
    },
  };
}

function givenHeader(row: number, rowsAbove: number): { header: number | null; firstRow: number } {
  if (row === 0) return { header: null, firstRow: 0 };
  const index = row - 1 - rowsAbove;
  if (index < 0) throw new ExtractionError('empty', `Row ${row}, which should be the header, is empty.`);
  return { header: index, firstRow: index + 1 };
}
