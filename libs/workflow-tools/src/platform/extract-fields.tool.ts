import { cutText } from '@app/common';
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

const TYPES = ['text', 'number', 'integer', 'boolean', 'date', 'list'] as const;

const fieldSchema = z.object({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'A letter, then letters, digits and underscores.'),
  type: z.enum(TYPES).default('text'),
  description: z.string().max(2_000).default(''),
  required: z.boolean().default(false),
});
type Field = z.output<typeof fieldSchema>;

export const extractFieldsTool = defineKind({
  kind: 'extract_fields',
  version: '1.0.0',
  title: 'Extract fields',
  description: 'Lets the language model find named values in a text.',
  category: categories.platform,
  icon: 'text-search',
  // Another try costs tokens, but changes nothing.
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 180,
  params: z.object({
    text: param(z.string().min(1).max(400_000), {
      label: 'Text',
      description: 'The text to read the fields from.',
      type: 'text',
    }),
    fields: param(z.array(fieldSchema).min(1).max(100), {
      label: 'Fields',
      description: 'Each with a name, a type (text, number, integer, boolean, date, list) and what it means.',
    }),
    instructions: param(z.string().max(8_000).default(''), {
      label: 'Instructions',
      description: 'What else matters when reading.',
      type: 'text',
    }),
    model: modelParam,
  }),
  output: z.object({
    fields: z.record(z.string(), z.unknown()),
    missing: z.array(z.string()),
    model: z.string(),
    usage: usageSchema,
  }),
  examples: [{ text: '{{_output.mail.text}}', fields: [{ name: 'invoice_number' }] }],
  unavailableReason: modelUnavailable,
  run: async ({ text, fields, instructions, model }, context) => {
    requireModel(context);
    const names = fields.map(({ name }) => name);
    if (new Set(names).size < names.length)
      throw new ToolError('invalid_params', 'fields: Two fields have the same name.', false);
    const calls = new ModelCalls(context, model);
    const found = await calls.object(
      {
        system: [
          `Find the values of the fields in the material. ${MATERIAL_RULE}`,
          'A value that does not stand there is null: never guess. Dates are written as YYYY-MM-DD.',
          instructions,
        ].join(' '),
        prompt: material(text),
      },
      z.object(Object.fromEntries(fields.map((field) => [field.name, valueSchema(field)]))),
    );
    const values = Object.fromEntries(fields.map((field) => [field.name, valueOf(field, found[field.name])]));
    const missing = names.filter((name) => values[name] === null);
    const needed = fields.find(({ name, required }) => required && missing.includes(name));
    if (needed) throw calls.failed(new ToolError('field_not_found', `The text does not say ${needed.name}.`, false));
    return {
      output: { fields: values, missing, model: calls.model, usage: calls.usage },
      usage: toNodeUsage(calls.usage, calls.cost),
      warnings: fields.flatMap((field) => problemOf(field, found[field.name])),
    };
  },
});

/** An empty text says nothing, and a date that the calendar has not is none. */
function valueOf({ type }: Field, found: unknown): unknown {
  if (typeof found !== 'string') return found ?? null;
  if (type === 'date') return z.iso.date().safeParse(found.trim()).success ? found.trim() : null;
  return found.trim() === '' ? null : found;
}

function problemOf(field: Field, found: unknown): string[] {
  const isLost = typeof found === 'string' && found.trim() !== '' && valueOf(field, found) === null;
  return isLost ? [`${field.name}: the model answered ${JSON.stringify(cutText(found, 100))}, which is no date.`] : [];
}

function valueSchema({ type, description }: Field): z.ZodType<unknown> {
  const schema = {
    text: z.string(),
    number: z.number(),
    integer: z.int(),
    boolean: z.boolean(),
    date: z.string(),
    list: z.array(z.string()),
    // Models that are not held to a schema leave out what they do not find.
  }[type].nullish();
  return description === '' ? schema : schema.describe(description);
}
