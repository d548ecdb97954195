import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { requireSpreadsheets, spreadsheetsUnavailable } from './spreadsheets.js';
import { fileParam } from './stored-file.js';

export const spreadsheetReadTool = defineKind({
  kind: 'spreadsheet_read',
  version: '1.0.0',
  title: 'Read a spreadsheet',
  description: 'Reads the rows of a sheet of an XLSX, XLS, ODS, CSV or TSV file.',
  category: categories.files,
  icon: 'file-spreadsheet',
  sideEffects: 'none',
  timeoutSeconds: 120,
  params: z.object({
    file: fileParam,
    sheet: param(z.string().max(100).default(''), {
      label: 'Sheet',
      description: 'Its name, or its number from 1; the first when empty.',
    }),
    has_header: param(z.boolean().default(true), {
      label: 'First row names the columns',
      description: 'Whether rows are objects by the names of the first row.',
    }),
    limit: param(z.coerce.number().int().min(1).max(100_000).default(10_000), {
      label: 'At most this many rows',
      description: 'Further rows are left out, and the output says so.',
      type: 'integer',
    }),
  }),
  output: z.object({
    items: z.array(z.record(z.string(), z.unknown())),
    columns: z.array(z.string()),
    count: z.int(),
    sheet: z.string(),
    sheets: z.array(z.string()),
    truncated: z.boolean(),
  }),
  examples: [{ file: 'reports/2026.xlsx', sheet: 'Orders' }],
  unavailableReason: spreadsheetsUnavailable,
  run: async ({ file, sheet, has_header: hasHeader, limit }, context) => {
    const { viewer, signal } = context;
    const found = await requireSpreadsheets(context).read(viewer, file, { sheet, hasHeader, limit }, signal);
    const { rows, columns, sheets, truncated } = found;
    return { output: { items: rows, columns, count: found.count, sheet: found.sheet, sheets, truncated } };
  },
});
