import { z } from 'zod';
import { defineKind, param, toPath, valueAt } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { orderNumbers, toInstant, toNumber, toText } from '../comparison.js';
import { fieldPath, itemsParam } from '../params.js';
import { missingFields } from './missing-fields.js';

export const sortTool = defineKind({
  kind: 'sort',
  version: '1.1.0',
  title: 'Sort',
  description:
    'Puts items in order: numbers, then texts. Items without the field come last; equal ones keep their order.',
  category: categories.data,
  icon: 'arrow-up-down',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    items: itemsParam,
    field: param(fieldPath.default(''), { label: 'Field', description: 'Like price; empty for the item itself.' }),
    direction: param(z.enum(['ascending', 'descending']).default('ascending'), {
      label: 'Direction',
      description: 'Smallest or largest first.',
    }),
    ignore_case: param(z.boolean().default(false), {
      label: 'Ignore case',
      description: 'Whether capitals and small letters are the same; else all capitals come first.',
    }),
  }),
  output: z.object({ items: z.array(z.unknown()), count: z.int() }),
  examples: [{ items: [{ price: 3 }, { price: 12 }], field: 'price', direction: 'descending' }],
  run: ({ items, field, direction, ignore_case: ignoreCase }) => {
    const path = toPath(field);
    const sign = direction === 'ascending' ? 1 : -1;
    const keyed = items.map((item) => {
      const key = valueAt(item, path) ?? null;
      const text = toText(key);
      return {
        item,
        key,
        isMissing: key === null,
        number: toNumber(key),
        instant: toInstant(key),
        text: ignoreCase ? text.toLowerCase() : text,
      };
    });
    // Among other texts, times have no order of their own.
    const isByTime = keyed.every(({ isMissing, number, instant }) => isMissing || number !== null || instant !== null);
    keyed.sort((a, b) => {
      if (a.isMissing || b.isMissing) return Number(a.isMissing) - Number(b.isMissing);
      if (a.number !== null && b.number !== null) return sign * orderNumbers(a.key, a.number, b.key, b.number);
      // Compared as texts here and as numbers there, three items could each come before the next.
      if (a.number !== null || b.number !== null) return a.number === null ? sign : -sign;
      if (isByTime) return sign * (a.instant! - b.instant!);
      return sign * compareTexts(a.text, b.text);
    });
    return {
      output: { items: keyed.map(({ item }) => item), count: items.length },
      warnings: missingFields(items, [field]),
    };
  },
});

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
