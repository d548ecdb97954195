import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { itemsParam, MAX_ITEMS } from '../params.js';

export const limitTool = defineKind({
  kind: 'limit',
  version: '1.0.0',
  title: 'Limit',
  description: 'Keeps the first or last items of a list.',
  category: categories.data,
  icon: 'list-end',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    items: itemsParam,
    count: param(z.coerce.number().int().min(0).max(MAX_ITEMS).default(10), {
      label: 'How many',
      description: 'How many items are kept.',
      type: 'integer',
    }),
    skip: param(z.coerce.number().int().min(0).max(MAX_ITEMS).default(0), {
      label: 'Leave out first',
      type: 'integer',
      description: 'So many are passed over, counted from the same end.',
    }),
    from: param(z.enum(['start', 'end']).default('start'), {
      label: 'From',
      description: 'Whether the first or the last are kept.',
      options: [
        { value: 'start', label: 'The start' },
        { value: 'end', label: 'The end' },
      ],
    }),
  }),
  output: z.object({ items: z.array(z.unknown()), count: z.int(), removed: z.int() }),
  examples: [{ items: [3, 1, 2], count: 2 }],
  run: ({ items, count, skip, from }) => {
    const end = Math.max(items.length - skip, 0);
    const kept = from === 'start' ? items.slice(skip, skip + count) : items.slice(Math.max(end - count, 0), end);
    return { output: { items: kept, count: kept.length, removed: items.length - kept.length } };
  },
});
