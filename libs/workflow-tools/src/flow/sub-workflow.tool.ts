import { type ChildEnd, defineKind, param, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { requireNested } from './nested.js';

const MAX_DAYS = 90;

export const subWorkflowTool = defineKind({
  kind: 'sub_workflow',
  version: '1.0.0',
  title: 'Sub-workflow',
  description:
    'Runs another workflow and goes on with its result. The wait holds no worker and survives restarts; a stop of this run stops the other one too.',
  category: categories.flow,
  icon: 'workflow',
  isNestable: false,
  keepsParams: true,
  sideEffects: 'idempotent',
  timeoutSeconds: 60,
  params: z.object({
    workflow_id: param(z.uuid(), {
      label: 'Workflow',
      description: 'One that whoever last changed this node may run.',
    }),
    inputs: param(z.record(z.string(), z.unknown()).default({}), {
      label: 'Inputs',
      description: 'Its entry nodes get them as their payload.',
    }),
    max_seconds: param(
      z.coerce
        .number()
        .min(1)
        .max(MAX_DAYS * 86_400)
        .optional(),
      {
        label: 'Longest time, in seconds',
        type: 'number',
        description: 'After it, the run is stopped and the node fails.',
      },
    ),
  }),
  output: z.object({ result: z.unknown(), run_id: z.uuid(), run_version: z.int() }),
  examples: [{ workflow_id: '6ba7b810-9dad-41d1-80b4-00c04fd430c8', inputs: { city: 'Zurich' } }],
  run: async ({ workflow_id: workflowId, inputs, max_seconds: maxSeconds }, context) => {
    const nested = requireNested(context);
    const key = String(nested.failures);
    const known = context.resume?.data?.until;
    const until = typeof known === 'number' ? known : maxSeconds && context.now() + Math.round(maxSeconds * 1_000);
    if (!context.resume) await nested.children.start(key, { workflowId, payload: inputs });
    const [end] = context.resume ? await nested.children.ends([key]) : [];
    if (end) return { output: outputOf(end) };
    if (until !== undefined && context.now() >= until) {
      await nested.children.stop([key], 'The workflow that started it gave it no more time.');
      throw new ToolError('timeout', `The workflow took longer than ${maxSeconds ?? 0} seconds.`);
    }
    return {
      wait: { reason: 'child', children: [key], ...(until !== undefined && { until, data: { until } }) },
    };
  },
});

function outputOf({ status, error, result, runId, version }: ChildEnd): unknown {
  if (status === 'COMPLETED') return { result, run_id: runId, run_version: version };
  const { code, message, nodeId } = error ?? { code: 'stopped', message: 'It was stopped.', nodeId: null };
  if (code === 'owner_inactive') throw new ToolError(code, message, false);
  const place = nodeId === null ? '' : ` at node ${nodeId}`;
  const verb = status === 'FAILED' ? 'failed' : 'was stopped';
  throw new ToolError(
    status === 'FAILED' ? 'child_failed' : 'child_stopped',
    `Run ${version} ${verb}${place} (${code}): ${message}`,
  );
}
