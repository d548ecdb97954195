import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { defineTool, param, ToolError } from '@app/workflows';
import { categories } from '../categories.js';
import { MAX_ITEMS } from '../params.js';

export const parseCsvTool = defineTool({
  kind: 'parse_csv',
  version: '1.0.0',
  title: 'Read CSV',
  description: 'Reads CSV text into rows.',
  category: categories.data,
  icon: 'table',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    text: param(z.string().max(4_000_000), { label: 'CSV', type: 'text' }),
    delimiter: param(z.enum([',', ';', '\t', '|']).default(','), {
      label: 'Delimiter',
      options: [
        { value: ',', label: 'Comma' },
        { value: ';', label: 'Semicolon' },
        { value: '\t', label: 'Tab' },
        { value: '|', label: 'Bar' },
      ],
    }),
    has_header: param(z.boolean().default(true), {
      label: 'First row names the columns',
      description: 'Without it, each row is a list.',
    }),
  }),
  output: z.object({ items: z.array(z.unknown()), columns: z.array(z.string()), count: z.int() }),
  run: ({ text, delimiter, has_header: hasHeader }) => {
    const rows = readRows(text, delimiter);
    const columns = hasHeader ? uniqueNames(rows.shift() ?? []) : [];
    const items = hasHeader
      ? rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ''])))
      : rows;
    return { output: { items, columns, count: items.length } };
  },
});

function readRows(text: string, delimiter: string): string[][] {
  const options = { delimiter, bom: true, skip_empty_lines: true, relax_column_count: true, to: MAX_ITEMS };
  try {
    return parse(text, options);
  } catch (cause) {
    if (cause instanceof CsvError) throw new ToolError('invalid_csv', cause.message.slice(0, 300), false, { cause });
    throw cause;
  }
}

/** Two columns of one name would hide each other. */
function uniqueNames(header: readonly string[]): string[] {
  const used = new Set<string>();
  return header.map((title, index) => {
    const base = title.trim() || `column_${index + 1}`;
    let name = base;
    for (let copy = 2; used.has(name); copy += 1) name = `${base}_${copy}`;
    used.add(name);
    return name;
  });
}
