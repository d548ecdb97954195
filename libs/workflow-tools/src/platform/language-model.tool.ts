import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import {
  CUT_WARNING,
  misfitError,
  modelParam,
  modelUnavailable,
  requireModel,
  toNodeUsage,
  usageSchema,
} from './model.js';
import { showing } from './shown-text.js';

export const languageModelTool = defineKind({
  kind: 'language_model',
  version: '1.0.0',
  title: 'Language model',
  description: 'Lets the configured language model answer a prompt, as text or as an object of a given shape.',
  category: categories.platform,
  icon: 'sparkles',
  // Another try costs tokens; the key lets an endpoint that supports it recognise the repetition.
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 180,
  params: z.object({
    prompt: param(z.string().min(1).max(400_000), {
      label: 'Prompt',
      description: 'What the model is asked.',
      type: 'text',
    }),
    system: param(z.string().max(50_000).default(''), {
      label: 'Instructions',
      description: 'How the model is to answer.',
      type: 'text',
    }),
    model: modelParam,
    temperature: param(z.coerce.number().min(0).max(2).optional(), {
      label: 'Temperature',
      description: 'From 0, always the likeliest words, to 2.',
      type: 'number',
    }),
    max_output_tokens: param(z.coerce.number().int().min(1).max(100_000).optional(), {
      label: 'Longest answer, in tokens',
      description: 'Where a longer answer is cut off.',
      type: 'integer',
    }),
    output_schema: param(z.record(z.string(), z.unknown()).optional(), {
      label: 'Shape of the answer',
      description: 'A JSON Schema; the answer is then also given as an object.',
    }),
  }),
  output: z.object({
    text: z.string(),
    object: z.unknown(),
    model: z.string(),
    usage: usageSchema,
  }),
  examples: [{ prompt: 'Sum this up in a sentence: {{_output.mail.text}}' }],
  unavailableReason: modelUnavailable,
  run: async (params, context) => {
    const { viewer, signal, idempotencyKey } = context;
    const llm = requireModel(context);
    const { temperature, max_output_tokens: maxOutputTokens, output_schema: outputSchema } = params;
    const request = {
      prompt: params.prompt,
      system: params.system,
      model: params.model || null,
      ...(temperature !== undefined && { temperature }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(outputSchema && { outputSchema }),
    };
    const answer = await llm.generate(viewer, request, { signal, idempotencyKey, onText: showing(context) });
    const usage = { prompt_tokens: answer.promptTokens, completion_tokens: answer.completionTokens };
    const used = toNodeUsage(usage, answer.cost ?? null);
    if (answer.misfit !== undefined) throw misfitError(answer.misfit, used);
    const output = { text: answer.text, object: answer.object ?? null, model: answer.model, usage };
    if (answer.endedEarly === undefined) return { output, usage: used };
    const isCut = answer.endedEarly === 'cut';
    return {
      output,
      usage: used,
      warnings: [isCut ? CUT_WARNING : 'The model broke off: its provider refused to go on.'],
    };
  },
});
