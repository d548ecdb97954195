import { defineKind, jsonList, param, type ToolCatalogue, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { itemsParam } from '../params.js';
import { requireNested } from './nested.js';

interface Problem {
  code?: string;
  path: string;
  message: string;
  isWarning?: boolean;
}

export const batchTool = defineKind({
  kind: 'batch',
  version: '1.0.0',
  title: 'Batch',
  description:
    'Runs one kind of node for every item of a list. In its parameters, {{_item}} stands for the item and {{_index}} for its place. Each item is done once, even if the worker dies.',
  category: categories.flow,
  icon: 'layers',
  isBatchProcessor: true,
  itemParams: ['params'],
  // The items remember what was done; the kind that is applied decides what happens to those that were being done.
  sideEffects: 'idempotent',
  timeoutSeconds: 24 * 60 * 60,
  params: z.object({
    items: itemsParam,
    kind: param(z.string().min(1).max(100), {
      label: 'Kind of node',
      description: 'What is done with every item: the name of a kind, as in a node.',
      acceptsRef: false,
    }),
    params: param(z.record(z.string(), z.unknown()).default({}), {
      label: 'Its parameters',
      description: 'As in a node of that kind, with {{_item}}, {{_item.field}} and {{_index}}.',
    }),
    concurrency: param(z.coerce.number().int().min(1).max(50).default(10), {
      label: 'At the same time',
      description: 'How many items are worked on at once.',
      type: 'integer',
    }),
    item_failures: param(z.enum(['fail', 'collect']).default('fail'), {
      label: 'When an item fails',
      description: 'Whether one failed item fails the node, or the others go on.',
      options: [
        { value: 'fail', label: 'The node fails' },
        { value: 'collect', label: 'The others go on, and the output says which failed' },
      ],
    }),
  }),
  output: z.object({
    results: z.array(z.unknown()),
    count: z.int(),
    failed: z.int(),
    errors: z.array(z.object({ index: z.int(), code: z.string(), message: z.string() })),
  }),
  examples: [
    {
      items: [{ name: 'Ada' }, { name: 'Grace' }],
      kind: 'template',
      params: { template: 'Dear {{_item.name}}, you are number {{_index}}.' },
    },
  ],
  checkNode: ({ kind, params }, _next, catalogue) => checkPart(kind, params, catalogue),
  run: async ({ items, kind, params, concurrency, item_failures: itemFailures }, context) => {
    const nested = requireNested(context);
    const results = await nested.processItems(
      items,
      (item, index) => {
        const bound = nested.bind('params', item, index);
        if (typeof bound !== 'object' || bound === null)
          throw new ToolError('invalid_params', 'The parameters of the kind must be an object.', false);
        return nested.runTool(kind, bound as Record<string, unknown>, String(index));
      },
      { concurrency, itemFailures, sideEffects: nested.sideEffectsOf(kind, params) },
    );
    const errors = results.flatMap(({ index, error }) => (error ? [{ index, ...error }] : []));
    return {
      output: {
        results: jsonList(results.map(({ output }) => output)),
        count: results.length,
        failed: errors.length,
        errors: errors.slice(0, 1_000),
      },
    };
  },
});

function checkPart(kind: unknown, params: unknown, catalogue: ToolCatalogue | undefined): Problem[] {
  if (typeof kind !== 'string' || !catalogue) return [];
  const tool = catalogue.find(kind);
  if (!tool) return [{ code: 'unknown_kind', path: 'kind', message: `There is no node kind ${JSON.stringify(kind)}.` }];
  if (!tool.isNestable)
    return [{ code: 'kind_not_nestable', path: 'kind', message: `${kind} cannot be applied to the items of a batch.` }];
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params);
  const given = isObject ? (params as Record<string, unknown>) : {};
  return tool.checkParams(given, [], catalogue).map(({ path, ...problem }) => ({
    ...problem,
    path: `params.${path.replace(/^params\.?/, '')}`,
  }));
}
