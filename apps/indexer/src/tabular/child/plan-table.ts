import { ExtractionError } from '../../pipeline/extraction-error.js';
import { findHeader, type FoundHeader } from './header-block.js';
import type { SampleRow } from './header-row.js';
import type { Merge } from '../../spreadsheets/merge-range.js';
import { uniqueSqlNames } from './names.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import type { TableBuilder } from './table-builder.js';

/** Where a staged table begins, and what its columns are called. */
export interface TablePlan {
  /** Index of the first staged row with names; null without one. */
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
 * @param merges as the staged rows count
 */
export function planTable(
  sample: readonly SampleRow[],
  headerRow: string,
  rowsAbove: number,
  merges: readonly Merge[] = [],
): TablePlan {
  const { header, firstRow, paths } =
    headerRow === 'auto' ? findHeader(sample, merges) : givenHeader(sample, Number(headerRow), rowsAbove);
  const originals = paths.map((path) => path.join(' '));
  return {
    header,
    firstRow,
    namedColumns: originals.findLastIndex((name) => name !== '') + 1,
    async columns(builder, staged) {
      const filled = await builder.filledColumns(staged, firstRow);
      const kept = filled.flatMap((hasValues, index) => (hasValues || (originals[index] ?? '') !== '' ? [index] : []));
      const named = kept.map((index) => originals[index] ?? '');
      const unique = uniqueSqlNames(named, builder.reserved, (at) => `column_${kept[at]! + 1}`);
      return kept.map((index, at) => ({
        index,
        name: unique[at]!,
        originalName: named[at]!,
        ...((paths[index]?.length ?? 0) > 1 ? { headerPath: paths[index]! } : {}),
      }));
    },
  };
}

function givenHeader(sample: readonly SampleRow[], row: number, rowsAbove: number): FoundHeader {
  if (row === 0) return { header: null, rows: 0, firstRow: 0, paths: [] };
  const index = row - 1 - rowsAbove;
  if (index < 0) throw new ExtractionError('empty', `Row ${row}, which should be the header, is empty.`);
  const names = sample[index];
  if (names === undefined)
    throw new ExtractionError('empty', `Row ${row}, which should be the header, is not among the first rows.`);
  const paths = names.map((name) => [(name ?? '').replace(/\s+/g, ' ').trim()]);
  return { header: index, rows: 1, firstRow: index + 1, paths };
}
