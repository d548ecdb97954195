import { defineKind, param, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import {
  material,
  MATERIAL_RULE,
  ModelCalls,
  modelParam,
  modelUnavailable,
  requireModel,
  toNodeUsage,
  usageSchema,
} from './model.js';
import { textPieces } from './text-pieces.js';

const PIECE = 8_000;
const MAX_PIECES = 60;

export const translateTool = defineKind({
  kind: 'translate',
  version: '1.0.0',
  title: 'Translate',
  description: 'Lets the language model translate a text.',
  category: categories.platform,
  icon: 'languages',
  // Another try costs tokens, but changes nothing.
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 900,
  params: z.object({
    text: param(z.string().max(480_000), { label: 'Text', description: 'The text to translate.', type: 'text' }),
    to: param(z.string().trim().min(2).max(100), { label: 'Into', description: 'A language, such as Arabic.' }),
    from: param(z.string().max(100).default(''), { label: 'From', description: 'Recognised when empty.' }),
    notes: param(z.string().max(8_000).default(''), {
      label: 'Notes',
      type: 'text',
      description: 'Tone and terms to keep to.',
    }),
    model: modelParam,
  }),
  output: z.object({ text: z.string(), model: z.string(), usage: usageSchema }),
  examples: [{ text: 'Guten Tag', to: 'English' }],
  unavailableReason: modelUnavailable,
  run: async ({ text, to, from, notes, model }, context) => {
    requireModel(context);
    const pieces = textPieces(text, PIECE);
    if (pieces.length > MAX_PIECES)
      throw new ToolError('text_too_long', `The text is longer than ${MAX_PIECES * PIECE} characters.`, false);
    const calls = new ModelCalls(context, model);
    const system = [
      `Translate the material${from === '' ? '' : ` from this language: ${from},`} into this language: ${to}.`,
      MATERIAL_RULE,
      'Keep its line breaks and its markup. Answer with the translation alone.',
      ...(notes === '' ? [] : [`Notes: ${notes}`]),
    ].join(' ');
    const translated: string[] = [];
    for (const [index, piece] of pieces.entries()) {
      // White space between pieces is not the model's to keep.
      const [, before = '', body = '', after = ''] = /^(\s*)([^]*?)(\s*)$/.exec(piece) ?? [];
      const done = body === '' ? '' : await calls.text({ system, prompt: material(body), temperature: 0 });
      translated.push(before + done + after);
      context.progress((index + 1) / pieces.length);
    }
    return {
      output: { text: translated.join(''), model: calls.model, usage: calls.usage },
      usage: toNodeUsage(calls.usage, calls.cost),
      warnings: calls.warnings,
    };
  },
});
