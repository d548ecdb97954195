import type { AskedColumn, AskedTable } from '../asked-table.js';

/** One of ten rows, of which nothing but its columns counts. */
export const tableOf = (alias: string, columns: AskedColumn[]): AskedTable => ({
  alias,
  name: alias,
  sheet: null,
  uid: 'u',
  filename: `${alias}.csv`,
  rowCount: 10,
  columns,
  sample: [],
  range: 'A1:F11',
  firstRow: 2,
  contiguous: true,
});
