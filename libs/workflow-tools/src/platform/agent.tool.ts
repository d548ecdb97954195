import { defineKind, param, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { showing } from './shown-text.js';

const UNAVAILABLE = 'No language model is configured.';

export const agentTool = defineKind({
  kind: 'agent',
  version: '1.0.0',
  title: 'Agent with tools',
  description: 'Lets a model work with tools until it has an answer.',
  category: categories.platform,
  icon: 'bot',
  // Its tools may do anything.
  sideEffects: 'external',
  timeoutSeconds: 1_800,
  params: z.object({
    prompt: param(z.string().min(1).max(200_000), {
      label: 'Task',
      description: 'What the agent is to do.',
      type: 'text',
    }),
    instructions: param(z.string().max(50_000).default(''), {
      label: 'Instructions',
      description: 'How the agent is to go about it.',
      type: 'text',
    }),
    tools: param(z.array(z.string().max(200)).max(50).default([]), {
      label: 'Tools',
      description:
        'Kinds of this catalogue, such as semantic_search, and tools of your connected servers, as <server>__<tool>. The agent uses them without asking, whatever they do.',
      acceptsRef: false,
    }),
    max_steps: param(z.coerce.number().int().min(1).max(100).default(20), {
      label: 'At most this many steps',
      description: 'How often it may use tools before it has to answer.',
      type: 'integer',
    }),
  }),
  output: z.object({
    text: z.string(),
    steps: z.array(z.object({ tool: z.string(), input: z.unknown(), output: z.unknown() })),
    model: z.string(),
  }),
  examples: [{ prompt: 'Find out which invoices are overdue.', tools: ['semantic_search', 'list_documents'] }],
  unavailableReason: ({ agent }) => (agent ? null : UNAVAILABLE),
  run: async ({ prompt, instructions, tools, max_steps: maxSteps }, context) => {
    const { agent, viewer, signal, idempotencyKey } = context;
    if (!agent) throw new ToolError('model_not_configured', UNAVAILABLE, false);
    const options = { signal, idempotencyKey, onText: showing(context) };
    const { usage, ...output } = await agent.run(viewer, { prompt, instructions, tools, maxSteps }, options);
    return { output, usage };
  },
});
