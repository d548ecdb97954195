import { z } from 'zod';
import { defineTool, param, ToolError } from '@app/workflows';
import { categories } from '../categories.js';

export const webhookTriggerTool = defineTool({
  kind: 'webhook_trigger',
  version: '1.0.0',
  title: 'Webhook',
  description: 'Starts the workflow when its webhook is called, and hands on the payload.',
  category: categories.triggers,
  icon: 'webhook',
  isEntry: true,
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    required_fields: param(z.array(z.string().min(1)).max(100).default([]), {
      label: 'Required fields',
      description: 'A call without one of these fields fails.',
    }),
    sample: param(z.record(z.string(), z.unknown()).default({}), {
      label: 'Sample payload',
      description: 'Stands in for the payload when the workflow is run by hand.',
    }),
  }),
  output: z.object({ payload: z.record(z.string(), z.unknown()) }),
  run: ({ required_fields: required, sample }, context) => {
    const payload = context.payload ?? sample;
    const missing = required.filter((field) => !Object.hasOwn(payload, field));
    if (missing.length > 0) {
      throw new ToolError('payload_incomplete', `The payload lacks ${missing.join(', ')}.`, false);
    }
    return { output: { payload } };
  },
});
