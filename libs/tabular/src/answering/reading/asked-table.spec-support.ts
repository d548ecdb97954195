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

/** One that may have empty cells. */
export const column = (name: string, type: AskedColumn['type'], more: Partial<AskedColumn> = {}): AskedColumn => ({
  name,
  originalName: name,
  type,
  nullable: true,
  values: [],
  ...more,
});

export const filledColumn = (...[name, type, more]: Parameters<typeof column>): AskedColumn =>
  column(name, type, { nullable: false, ...more });
