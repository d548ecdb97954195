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

const PIECE = 60_000;
const MAX_PIECES = 40;

const LENGTHS = { short: 'at most three sentences', medium: 'one or two paragraphs', long: 'about a page' };

export const summariseTextTool = defineKind({
  kind: 'summarise_text',
  version: '1.0.0',
  title: 'Summarise a text',
  description: 'Lets the language model sum up a text, however long it is.',
  category: categories.platform,
  icon: 'scroll-text',
  // Another try costs tokens, but changes nothing.
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 600,
  params: z.object({
    text: param(z.string().min(1).max(4_000_000), {
      label: 'Text',
      description: 'The text to summarise.',
      type: 'text',
    }),
    length: param(z.enum(['short', 'medium', 'long']).default('medium'), {
      label: 'Length',
      description: 'How long the summary is.',
    }),
    style: param(z.enum(['prose', 'bullets']).default('prose'), {
      label: 'Form',
      description: 'Prose or points.',
      options: [
        { value: 'prose', label: 'Sentences' },
        { value: 'bullets', label: 'List' },
      ],
    }),
    language: param(z.string().max(100).default(''), {
      label: 'Language',
      description: 'That of the text when empty.',
    }),
    focus: param(z.string().max(4_000).default(''), {
      label: 'What matters',
      description: 'What the summary should be about above all.',
      type: 'text',
    }),
    model: modelParam,
  }),
  output: z.object({ summary: z.string(), pieces: z.int(), model: z.string(), usage: usageSchema }),
  examples: [{ text: '{{_output.mail.text}}', length: 'short' }],
  unavailableReason: modelUnavailable,
  run: async (params, context) => {
    requireModel(context);
    const { length, style, language, focus } = params;
    const pieces = textPieces(params.text, PIECE);
    if (pieces.length > MAX_PIECES)
      throw new ToolError('text_too_long', `The text is longer than ${MAX_PIECES * PIECE} characters.`, false);
    const calls = new ModelCalls(context, params.model);
    const how = [
      `Write ${style === 'bullets' ? 'a list of points' : 'prose'}, ${LENGTHS[length]},`,
      language === '' ? 'in the language of the material.' : `in this language: ${language}.`,
      'Say only what the material says; no introduction, no comment.',
      ...(focus === '' ? [] : [`What matters most: ${focus}`]),
    ].join(' ');
    let text = pieces[0]!;
    if (pieces.length > 1) {
      const notes: string[] = [];
      for (const [index, piece] of pieces.entries()) {
        const system = `Note down all that matters in a part of a longer text. ${MATERIAL_RULE} ${focus === '' ? '' : `What matters most: ${focus}`}`;
        notes.push(await calls.text({ system, prompt: material(piece) }));
        context.progress((index + 1) / (pieces.length + 1));
      }
      text = notes.join('\n\n');
    }
    const summary = await calls.text({
      system: `Sum up the material. ${MATERIAL_RULE} ${how}`,
      prompt: material(text),
    });
    return {
      output: { summary, pieces: pieces.length, model: calls.model, usage: calls.usage },
      usage: toNodeUsage(calls.usage, calls.cost),
      warnings: calls.warnings,
    };
  },
});
