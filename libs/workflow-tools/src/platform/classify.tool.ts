import { defineKind, param, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { checkTargets } from '../params.js';
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

const classSchema = z.object({
  name: z.string().trim().min(1).max(200),
  description: z.string().max(2_000).default(''),
  next: z.array(z.string()).default([]),
});

export const classifyTool = defineKind({
  kind: 'classify',
  version: '1.0.0',
  title: 'Classify',
  description:
    'Lets the language model say which class a text belongs to, and goes on with the nodes of that class. A next node that stands in no class runs whatever is chosen.',
  category: categories.platform,
  icon: 'tags',
  isBranching: true,
  outlets: [{ param: 'classes[].next', label: 'Class', itemNames: ['name'] }],
  // Another try costs tokens, but changes nothing.
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 180,
  params: z.object({
    text: param(z.string().min(1).max(200_000), {
      label: 'Text',
      description: 'The text that is put into a class.',
      type: 'text',
    }),
    classes: param(z.array(classSchema).min(2).max(50), {
      label: 'Classes',
      description: 'Each with a name, what belongs to it, and the next nodes that it takes.',
    }),
    multiple: param(z.boolean().default(false), {
      label: 'More than one class may fit',
      description: 'Whether every class that fits is taken.',
    }),
    allow_none: param(z.boolean().default(false), {
      label: 'None may fit',
      description: 'Whether the answer may be that no class fits.',
    }),
    instructions: param(z.string().max(8_000).default(''), {
      label: 'Instructions',
      description: 'What else matters when choosing.',
      type: 'text',
    }),
    model: modelParam,
  }),
  output: z.object({
    class: z.string().nullable(),
    classes: z.array(z.string()),
    confidence: z.number(),
    reason: z.string(),
    model: z.string(),
    usage: usageSchema,
  }),
  examples: [{ text: '{{_output.mail.text}}', classes: [{ name: 'invoice' }, { name: 'complaint' }] }],
  checkNode: ({ classes }, next) => {
    const list: unknown[] = Array.isArray(classes) ? classes : [];
    const targets = list.map((item, index): [string, unknown] => [
      `classes[${index}].next`,
      typeof item === 'object' && item !== null && 'next' in item ? item.next : [],
    ]);
    return checkTargets(Object.fromEntries(targets), next);
  },
  unavailableReason: modelUnavailable,
  run: async (params, context) => {
    requireModel(context);
    const { text, classes, multiple, allow_none: allowNone, instructions, model } = params;
    const names = classes.map(({ name }) => name) as [string, ...string[]];
    const calls = new ModelCalls(context, model);
    const found = await calls.object(
      {
        system: [
          `Say which ${multiple ? 'classes fit' : 'class fits best'} the material. ${MATERIAL_RULE}`,
          allowNone ? 'Give no class when none fits.' : 'There is always one that fits best.',
          `The classes:\n${classes.map(({ name, description }) => `- ${name}${description && `: ${description}`}`).join('\n')}`,
          instructions,
        ].join('\n'),
        prompt: material(text),
      },
      z.object({
        classes: z.array(z.enum(names)),
        confidence: z.number().describe('From 0 to 1.'),
        reason: z.string().default('').describe('One sentence.'),
      }),
    );
    if (found.classes.length === 0 && !allowNone)
      throw calls.failed(new ToolError('model_answer_invalid', 'The model named no class.', true));
    const fitting = [...new Set(found.classes)].slice(0, multiple ? names.length : 1);
    const bound = new Set(classes.flatMap(({ next }) => next));
    const taken = new Set(classes.filter(({ name }) => fitting.includes(name)).flatMap(({ next }) => next));
    return {
      output: {
        class: fitting[0] ?? null,
        classes: fitting,
        confidence: Math.min(1, Math.max(0, found.confidence)),
        reason: found.reason,
        model: calls.model,
        usage: calls.usage,
      },
      usage: toNodeUsage(calls.usage, calls.cost),
      chosen: context.next.filter((id) => taken.has(id) || !bound.has(id)),
    };
  },
});
