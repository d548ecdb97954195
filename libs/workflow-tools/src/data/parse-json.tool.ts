import { parseKeepingNumbers } from '@app/common';
import { z } from 'zod';
import { defineKind, param, ToolError } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';

export const parseJsonTool = defineKind({
  kind: 'parse_json',
  version: '1.0.0',
  title: 'Read JSON',
  description: 'Reads JSON text into values. A Markdown code fence around it, as models write it, is ignored.',
  category: categories.data,
  icon: 'braces',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({ text: param(z.string(), { label: 'JSON', description: 'The text to read.', type: 'text' }) }),
  output: z.object({ value: z.unknown() }),
  examples: [{ text: '{"total": 20}' }],
  run: ({ text }) => {
    try {
      return { output: { value: parseKeepingNumbers(withoutFence(text)) } };
    } catch (cause) {
      throw new ToolError('invalid_json', 'The text is not valid JSON.', false, { cause });
    }
  },
});

function withoutFence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```')) return trimmed;
  const firstLine = trimmed.indexOf('\n');
  return firstLine < 0 ? trimmed : trimmed.slice(firstLine + 1, -3);
}
