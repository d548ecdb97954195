import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { checkTargets } from '../params.js';
import { answerOutput, ask, deadlineParams, optionSchema, timeoutOutlet, toOption } from './question.js';

const fieldSchema = z.object({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'A letter or underscore, then letters, digits, underscores.'),
  label: z.string().max(500).optional(),
  type: z.enum(['text', 'number', 'boolean', 'choice', 'date']).default('text'),
  required: z.boolean().default(true),
  options: z.array(optionSchema).max(100).default([]),
});

const fieldsSchema = z
  .array(fieldSchema)
  .min(1)
  .max(50)
  .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, 'Two fields have the same name.')
  .refine(
    (fields) => fields.every(({ type, options }) => type !== 'choice' || options.length > 0),
    'A choice needs options.',
  );

export const formTool = defineKind({
  kind: 'form',
  version: '1.0.0',
  title: 'Form',
  description: 'Lets a person fill in a form and waits, for days if need be, until it comes back or the time is over.',
  category: categories.human,
  icon: 'clipboard-list',
  isBranching: true,
  outlets: [timeoutOutlet],
  isConversational: true,
  keepsParams: true,
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    message: param(z.string().trim().min(1).max(10_000), {
      label: 'What it is about',
      description: 'What the person reads above the fields.',
      type: 'text',
    }),
    fields: param(fieldsSchema, { label: 'Fields', description: 'Each with a name, a label and a type.' }),
    ...deadlineParams,
  }),
  output: z.object({ answers: z.record(z.string(), z.unknown()), ...answerOutput }),
  examples: [
    {
      message: 'Please fill in the trip.',
      fields: [
        { name: 'city', label: 'City' },
        { name: 'nights', label: 'Nights', type: 'number' },
      ],
    },
  ],
  checkNode: ({ if_timeout }, next) => checkTargets({ if_timeout }, next),
  run: ({ message, fields, expires_in_seconds: expiresInSeconds, if_timeout: ifTimeout }, context) =>
    ask(
      {
        reason: 'input',
        question: {
          message,
          kind: 'form',
          options: [],
          fields: fields.map(({ label, options, ...field }) => ({
            ...field,
            label: label ?? field.name,
            options: options.map(toOption),
          })),
        },
        expiresInSeconds,
        ifTimeout,
        toResult: ({ value }) => ({ output: { answers: value } }),
        unanswered: { answers: {} },
      },
      context,
    ),
});
