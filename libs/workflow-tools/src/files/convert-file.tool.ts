import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { requireSpreadsheets, spreadsheetsUnavailable } from './spreadsheets.js';
import { fileParam, fileSchema, requireStorage, storageUnavailable, toFileOutput } from './stored-file.js';

export const convertFileTool = defineKind({
  kind: 'convert_file',
  version: '1.0.0',
  title: 'Convert a spreadsheet',
  description: 'Writes an XLSX, XLS, ODS, CSV or TSV file in another format.',
  category: categories.files,
  icon: 'file-symlink',
  // Written again under its key, it is the same file.
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 120,
  params: z.object({
    file: fileParam,
    to: param(z.enum(['csv', 'json', 'xlsx', 'ods', 'html', 'txt']), {
      label: 'Format',
      description: 'What the file is turned into.',
      options: [
        { value: 'csv', label: 'CSV' },
        { value: 'json', label: 'JSON' },
        { value: 'xlsx', label: 'Excel' },
        { value: 'ods', label: 'OpenDocument' },
        { value: 'html', label: 'HTML' },
        { value: 'txt', label: 'Text with tabs' },
      ],
    }),
    sheet: param(z.string().max(100).default(''), {
      label: 'Sheet',
      description: 'Its name, or its number from 1. When empty: all where the format has sheets, else the first.',
    }),
    path: param(z.string().max(500).default(''), {
      label: 'File name',
      description: 'That of the file with the new ending when empty.',
    }),
  }),
  output: fileSchema,
  examples: [{ file: 'reports/2026.xlsx', to: 'csv' }],
  unavailableReason: (ports) => spreadsheetsUnavailable(ports) ?? storageUnavailable(ports),
  run: async ({ file, to, sheet, path }, context) => {
    const { viewer, signal, idempotencyKey, runId } = context;
    const { name, mimeType, bytes } = await requireSpreadsheets(context).convert(viewer, file, { to, sheet }, signal);
    const written = { name: path || name, mimeType, content: bytes, idempotencyKey, runId };
    return { output: toFileOutput(await requireStorage(context).write(viewer, written, signal)) };
  },
});
