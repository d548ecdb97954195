import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { defineKind, param, toPath, valueAt } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { toText } from '../comparison.js';
import { withoutFormula } from '../jobs/formulas.js';
import { fieldPath, itemsParam } from '../params.js';
import { delimiterParam } from './delimiter.js';

export const writeCsvTool = defineKind({
  kind: 'write_csv',
  version: '1.0.0',
  title: 'Write CSV',
  description: 'Writes items as CSV text, one row each.',
  category: categories.data,
  icon: 'sheet',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    items: itemsParam,
    columns: param(z.array(fieldPath).max(500).default([]), {
      label: 'Columns',
      description: 'Fields like address.city, in this order; all fields of the items when empty.',
    }),
    delimiter: delimiterParam,
    header: param(z.boolean().default(true), {
      label: 'First row names the columns',
      description: 'Whether the names of the columns are written first.',
    }),
    protect_formulas: param(z.boolean().default(true), {
      label: 'Protect against formulas',
      description: 'Puts an apostrophe before values that a spreadsheet would take for formulas (=, +, -, @).',
    }),
  }),
  output: z.object({ text: z.string(), columns: z.array(z.string()), count: z.int() }),
  examples: [{ items: [{ name: 'kettle', price: 20 }], columns: ['name', 'price'] }],
  run: ({ items, columns: wanted, delimiter, header, protect_formulas: protect }) => {
    const columns = wanted.length > 0 ? wanted : fieldsOf(items);
    // Without a list of columns, names are taken as they are: one may hold a dot.
    const paths = wanted.length > 0 ? columns.map(toPath) : columns.map((column) => [column]);
    const toCell = (value: unknown): string | number => cellOf(value, protect);
    const rows = items.map((item) => {
      // What has no fields is a row by itself: a list its cells, a text or a number the only one.
      if (wanted.length === 0 && Array.isArray(item)) return item.map(toCell);
      if (columns.length === 0) return [toCell(item)];
      return paths.map((path) => toCell(valueAt(item, path)));
    });
    const lines = header && columns.length > 0 ? [columns.map(toCell), ...rows] : rows;
    // An empty cell that is alone in its row would be an empty line, which readers skip.
    const text = stringify(lines, { delimiter, quoted_empty: lines.some((line) => line.length === 1) });
    return { output: { text, columns, count: items.length } };
  },
});

function fieldsOf(items: readonly unknown[]): string[] {
  const names = new Set<string>();
  for (const item of items) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) continue;
    for (const name of Object.keys(item)) names.add(name);
  }
  return [...names];
}

function cellOf(value: unknown, protect: boolean): string | number {
  if (typeof value === 'number') return value;
  const text = toText(value);
  return protect ? withoutFormula(text) : text;
}
