import { compileFunction } from 'node:vm';
import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { MAX_ITEMS } from '../params.js';
import { inSandbox, sandboxUnavailable } from '../jobs/in-sandbox.js';

const MAX_CODE_LENGTH = 100_000;
const MAX_SECONDS = 30;

export const codeTool = defineKind({
  kind: 'code',
  version: '1.0.0',
  title: 'JavaScript',
  description:
    'Runs your JavaScript in a sandbox: it gets items and params, and what it returns is the result. It reaches neither the ' +
    'network nor files, and has 64 MB of memory. What it logs is kept.',
  category: categories.code,
  icon: 'code',
  sideEffects: 'none',
  // Waiting for a free thread counts here, and not for the limit of the code itself.
  timeoutSeconds: 120,
  params: z.object({
    code: param(z.string().min(1).max(MAX_CODE_LENGTH), {
      label: 'JavaScript',
      type: 'code',
      description: 'The body of an async function of items, params and console, like: return items.length;',
      acceptsRef: false,
    }),
    items: param(z.array(z.unknown()).max(MAX_ITEMS).default([]), {
      label: 'Items',
      description: 'What the code sees as items.',
    }),
    params: param(z.record(z.string(), z.unknown()).default({}), {
      label: 'Parameters',
      description: 'What the code sees as params.',
    }),
    time_limit_seconds: param(z.coerce.number().min(0.1).max(MAX_SECONDS).default(5), {
      label: 'Time limit in seconds',
      description: 'After which the script is stopped and the node fails.',
      type: 'number',
    }),
  }),
  output: z.object({ result: z.unknown(), logs: z.array(z.string()) }),
  examples: [
    {
      code: 'const open = items.filter((item) => !item.paid);\nreturn { count: open.length, names: open.map((item) => item.name) };',
      items: [{ name: 'Ada', paid: false }],
    },
  ],
  unavailableReason: sandboxUnavailable,
  checkNode: ({ code }) => {
    const message = typeof code === 'string' && code.length <= MAX_CODE_LENGTH ? syntaxErrorOf(code) : null;
    return message === null ? [] : [{ path: 'code', message }];
  },
  run: async ({ code, items, params, time_limit_seconds: seconds }, context) => {
    const limitMs = seconds * 1_000;
    const { result, logs, warnings } = await inSandbox(context, 'code', { code, items, params, limitMs }, limitMs);
    return { output: { result, logs }, warnings };
  },
});

/** Compiled and never run here: so that a typing error is told when the workflow is saved. Null when there is none. */
function syntaxErrorOf(code: string): string | null {
  try {
    compileFunction(`(async (items, params, console) => {${code}\n})`, [], { filename: 'code.js' });
    return null;
  } catch (error) {
    const { message, stack } = error as Error;
    const line = /code\.js:(\d+)/.exec(stack ?? '');
    return line ? `${message} (line ${line[1]})` : message;
  }
}
