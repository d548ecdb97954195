import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { inSandbox, sandboxUnavailable } from '../jobs/in-sandbox.js';
import { REGEX_OPERATIONS } from '../jobs/regex-job.js';

const LIMIT_MS = 2_000;
const MAX_TEXT_LENGTH = 4_000_000;

export const regexTool = defineKind({
  kind: 'regex',
  version: '1.0.0',
  title: 'Regular expression',
  description:
    'Finds, takes out, replaces or splits by a pattern (a JavaScript regular expression), in at most two seconds.',
  category: categories.data,
  icon: 'regex',
  sideEffects: 'none',
  timeoutSeconds: 60,
  params: z.object({
    text: param(z.string().max(MAX_TEXT_LENGTH), { label: 'Text', description: 'The text to search.', type: 'text' }),
    pattern: param(z.string().min(1).max(2_000), {
      label: 'Pattern',
      type: 'code',
      description: 'Without slashes around it, like (\\d{4})-(?<month>\\d\\d).',
    }),
    operation: param(z.enum(REGEX_OPERATIONS).default('match_all'), {
      label: 'What to do',
      description: 'Test, find, replace or split.',
      options: [
        { value: 'match_all', label: 'Find all matches' },
        { value: 'match', label: 'Find the first match' },
        { value: 'test', label: 'Look whether it matches' },
        { value: 'replace', label: 'Replace all matches' },
        { value: 'split', label: 'Split at the matches' },
      ],
    }),
    replacement: param(z.string().max(100_000).default(''), {
      label: 'Replacement',
      description: '$1 and $<name> stand for groups.',
      visibleWhen: { operation: ['replace'] },
    }),
    ignore_case: param(z.boolean().default(false), {
      label: 'Ignore upper and lower case',
      description: 'The flag i.',
    }),
    multiline: param(z.boolean().default(false), {
      label: '^ and $ also match at line ends',
      description: 'The flag m.',
    }),
    dot_all: param(z.boolean().default(false), { label: 'The dot also matches line ends', description: 'The flag s.' }),
    limit: param(z.coerce.number().int().min(1).max(10_000).default(1_000), {
      label: 'At most so many matches',
      description: 'Further matches are left out.',
      type: 'integer',
    }),
  }),
  output: z.object({
    matched: z.boolean(),
    count: z.int(),
    matches: z.array(
      z.object({
        text: z.string(),
        index: z.int(),
        groups: z.array(z.string().nullable()),
        named: z.record(z.string(), z.string().nullable()),
      }),
    ),
    text: z.string(),
    items: z.array(z.string()),
  }),
  examples: [{ text: 'Invoice 2026-114', pattern: '(\\d{4})-(?<number>\\d+)' }],
  unavailableReason: sandboxUnavailable,
  run: async ({ ignore_case, multiline, dot_all, ...input }, context) => {
    const flags = `u${ignore_case ? 'i' : ''}${multiline ? 'm' : ''}${dot_all ? 's' : ''}`;
    return { output: await inSandbox(context, 'regex', { ...input, flags }, LIMIT_MS) };
  },
});
