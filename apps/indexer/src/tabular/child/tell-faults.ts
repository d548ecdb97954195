import type { TabularColumn } from '@app/tabular';
import type { CellFaults } from './sheet-records.js';
import type { PlannedColumn } from './staged-table.js';

/**
 * Says of each column how many of its cells are empty though the sheet has something there.
 * @param inTable whether a row of the sheet, counted from 0, is one of the table
 */
export function tellFaults(
  columns: readonly TabularColumn[],
  planned: readonly PlannedColumn[],
  faults: CellFaults,
  inTable: (row: number) => boolean,
): { columns: TabularColumn[]; warnings: string[] } {
  const warnings: string[] = [];
  const told = columns.map((column, at) => {
    const { index } = planned[at]!;
    const missing = faults.missing.countIn(index, inTable);
    const errors = faults.errors.countIn(index, inTable);
    const title = column.originalName || column.name;
    if (missing > 0)
      warnings.push(
        `Column "${title}" is incomplete: ${cells(missing)} with a formula had no value in the file that could be read or computed.`,
      );
    if (errors > 0)
      warnings.push(`Column "${title}" has ${cells(errors)} with an error such as #DIV/0!, which are empty.`);
    return missing > 0 ? { ...column, missingFormulas: missing } : column;
  });
  return { columns: told, warnings };
}

const cells = (count: number) => (count === 1 ? '1 cell' : `${count.toLocaleString('en')} cells`);
