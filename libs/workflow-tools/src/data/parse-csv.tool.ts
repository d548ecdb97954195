import { z } from 'zod';
import { defineKind, param, ToolError } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { inSandbox } from '../jobs/in-sandbox.js';
import { SandboxError } from '../jobs/sandbox-error.js';
import { type CsvInput, type CsvOutput, MAX_ROWS, parseCsv } from '../jobs/csv-job.js';
import { delimiterParam } from './delimiter.js';

/** Shorter text is read sooner than it reaches another thread. */
const AT_ONCE_LENGTH = 50_000;
const LIMIT_MS = 20_000;

export const parseCsvTool = defineKind({
  kind: 'parse_csv',
  version: '1.0.0',
  title: 'Read CSV',
  description: 'Reads CSV text into rows, up to 100,000 of them.',
  category: categories.data,
  icon: 'table',
  sideEffects: 'none',
  timeoutSeconds: 60,
  params: z.object({
    text: param(z.string().max(4_000_000), { label: 'CSV', description: 'The text to read.', type: 'text' }),
    delimiter: delimiterParam,
    has_header: param(z.boolean().default(true), {
      label: 'First row names the columns',
      description: 'Without it, each row is a list.',
    }),
  }),
  output: z.object({ items: z.array(z.unknown()), columns: z.array(z.string()), count: z.int() }),
  examples: [{ text: 'name,price\nkettle,20' }],
  run: ({ text, delimiter, has_header: hasHeader }, context) => {
    const input: CsvInput = { text, delimiter, hasHeader };
    if (text.length <= AT_ONCE_LENGTH || !context.sandbox) return told(readAtOnce(input));
    return inSandbox(context, 'parse_csv', input, LIMIT_MS).then(told);
  },
});

function told({ isCut, ...output }: CsvOutput): { output: Omit<CsvOutput, 'isCut'>; warnings: string[] } {
  const cut = isCut ? [`The text has more than ${MAX_ROWS} rows; the others are left out.`] : [];
  return { output, warnings: [...cut, ...otherDelimiter(output)] };
}

const OTHERS = new Map([
  [';', ';'],
  ['\t', 'a tab'],
  ['|', '|'],
  [',', ','],
]);
/** So many rows tell; they are looked at here, not in the sandbox. */
const ROWS_LOOKED_AT = 20;

/** A file of another delimiter is read without an error, into rows of one value that nothing finds its field in. */
function otherDelimiter({ columns, items }: Omit<CsvOutput, 'isCut'>): string[] {
  const rows = items.slice(0, ROWS_LOOKED_AT).map((item) => Object.values(item as Record<string, unknown>));
  const lines = [...(columns.length > 0 ? [columns] : []), ...rows];
  if (lines.length === 0 || lines.some((line) => line.length !== 1)) return [];
  const countOf = (sign: string) => lines.map(([value]) => String(value).split(sign).length - 1);
  const found = [...OTHERS].find(([sign]) => {
    const [first = 0, ...further] = countOf(sign);
    return first > 0 && further.every((count) => count === first);
  });
  return found ? [`Every row is one value, and each holds ${found[1]}. Is that the delimiter?`] : [];
}

function readAtOnce(input: CsvInput): CsvOutput {
  try {
    return parseCsv(input);
  } catch (error) {
    if (error instanceof SandboxError) throw new ToolError(error.code, error.message, false, { cause: error });
    throw error;
  }
}
