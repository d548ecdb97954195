import { defineKind, param, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';

const MAX_DAYS = 90;
/** Shorter ones are not worth a trip through the database. */
const DURABLE_FROM_MS = 1_000;

export const delayTool = defineKind({
  kind: 'delay',
  version: '1.0.0',
  title: 'Delay',
  description: 'Waits a while, or until a point in time. The wait holds no worker and survives restarts.',
  category: categories.flow,
  icon: 'timer',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    seconds: param(
      z.coerce
        .number()
        .min(0)
        .max(MAX_DAYS * 86_400)
        .optional(),
      { label: 'Seconds', description: 'How long to wait, up to 90 days.', type: 'number' },
    ),
    until: param(z.iso.datetime({ offset: true }).optional(), {
      label: 'Until',
      description: 'A point in time in ISO 8601 with its offset; used when no seconds are given.',
    }),
  }),
  output: z.object({ until: z.iso.datetime() }),
  examples: [{ seconds: 3600 }, { until: '{{_output.form.deadline}}' }],
  checkNode: ({ seconds, until }) =>
    seconds === undefined && until === undefined ? [{ path: 'seconds', message: 'Give seconds or until.' }] : [],
  run: ({ seconds, until }, context) => {
    const resumed = context.resume?.data?.until;
    if (typeof resumed === 'number') return finished(resumed);
    if (seconds === undefined && until === undefined) {
      throw new ToolError('invalid_params', 'Give seconds or until.', false);
    }
    const due = seconds === undefined ? Date.parse(until!) : context.now() + Math.round(seconds * 1_000);
    const rest = due - context.now();
    if (rest > MAX_DAYS * 86_400_000) {
      throw new ToolError('delay_too_long', `A delay lasts at most ${MAX_DAYS} days.`, false);
    }
    if (rest > DURABLE_FROM_MS) return { wait: { reason: 'timer', until: due, data: { until: due } } };
    return rest > 0 ? context.sleep(rest).then(() => finished(due)) : finished(due);
  },
});

function finished(due: number): { output: unknown } {
  return { output: { until: new Date(due).toISOString() } };
}
