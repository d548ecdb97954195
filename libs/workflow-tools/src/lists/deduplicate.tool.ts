import { z } from 'zod';
import { defineTool, param, toPath, valueAt } from '@app/workflows';
import { categories } from '../categories.js';
import { fieldPath, itemsParam } from '../params.js';

export const deduplicateTool = defineTool({
  kind: 'deduplicate',
  version: '1.0.0',
  title: 'Remove duplicates',
  description: 'Keeps the first of each group of equal items.',
  category: categories.data,
  icon: 'copy-minus',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    items: itemsParam,
    fields: param(z.array(fieldPath).max(50).default([]), {
      label: 'Fields',
      description: 'Items that agree in these are equal; the whole item when empty.',
    }),
  }),
  output: z.object({ items: z.array(z.unknown()), count: z.int(), removed: z.int() }),
  examples: [{ items: [{ email: 'a@x.example' }, { email: 'a@x.example' }], fields: ['email'] }],
  run: ({ items, fields }) => {
    const paths = fields.length > 0 ? fields.map(toPath) : [[]];
    const seen = new Set<string>();
    const kept = items.filter((item) => {
      const key = JSON.stringify(paths.map((path) => sorted(valueAt(item, path))));
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
    return { output: { items: kept, count: kept.length, removed: items.length - kept.length } };
  },
});

/** The order in which an object's fields were written does not make it another one. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, item]) => [key, sorted(item)]);
}
