import { z } from 'zod';
import { defineKind, param, toPath, valueAt } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { fieldPath, itemsParam } from '../params.js';
import { canonicalText } from './keys.js';
import { missingFields } from './missing-fields.js';

export const deduplicateTool = defineKind({
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
      const key = paths.map((path) => canonicalText(valueAt(item, path))).join(',');
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
    return {
      output: { items: kept, count: kept.length, removed: items.length - kept.length },
      warnings: missingFields(items, fields),
    };
  },
});
