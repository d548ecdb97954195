import { z } from 'zod';
import { defineKind, param, toPath, valueAt } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { fieldPath, itemsParam, MAX_ITEMS } from '../params.js';
import { keyOf, looseText } from './keys.js';
import { missingFields } from './missing-fields.js';

export const compareListsTool = defineKind({
  kind: 'compare_lists',
  version: '1.0.0',
  title: 'Compare lists',
  description:
    'Tells what was added, removed and changed between two lists whose items have a key, like an earlier and a new price list.',
  category: categories.data,
  icon: 'diff',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    before: itemsParam,
    after: param(z.array(z.unknown()).max(MAX_ITEMS), {
      label: 'New items',
      description: 'The list as it is now; the other one is how it was.',
    }),
    keys: param(z.array(fieldPath.min(1)).min(1).max(10), {
      label: 'Key fields',
      description: 'Items that agree in them are the same one. The last of several counts.',
    }),
    fields: param(z.array(fieldPath.min(1)).max(200).default([]), {
      label: 'Fields to compare',
      description: 'All when empty.',
    }),
  }),
  output: z.object({
    added: z.array(z.unknown()),
    removed: z.array(z.unknown()),
    changed: z.array(z.object({ before: z.unknown(), after: z.unknown(), fields: z.array(z.string()) })),
    unchanged: z.int(),
  }),
  examples: [{ before: [{ sku: 'a', price: 1 }], after: [{ sku: 'a', price: 2 }], keys: ['sku'] }],
  run: ({ before, after, keys, fields }) => {
    const paths = keys.map(toPath);
    const old = new Map(before.map((item) => [keyOf(item, paths), item]));
    const fresh = new Map(after.map((item) => [keyOf(item, paths), item]));
    const common = [...fresh].filter(([key]) => old.has(key));
    const compared = common.map(([key, item]) => ({
      before: old.get(key),
      after: item,
      fields: differences(old.get(key), item, fields),
    }));
    const changed = compared.filter((pair) => pair.fields.length > 0);
    return {
      output: {
        added: [...fresh].filter(([key]) => !old.has(key)).map(([, item]) => item),
        removed: [...old].filter(([key]) => !fresh.has(key)).map(([, item]) => item),
        changed,
        unchanged: common.length - changed.length,
      },
      warnings: [...new Set([...missingFields(before, keys), ...missingFields(after, keys)])],
    };
  },
});

function differences(before: unknown, after: unknown, wanted: readonly string[]): string[] {
  const names = wanted.length > 0 ? wanted : [...new Set([...namesOf(before), ...namesOf(after)])];
  const differs = (path: readonly string[]): boolean =>
    looseText(valueAt(before, path)) !== looseText(valueAt(after, path));
  // Without a list of fields, names are taken as they are: one may hold a dot.
  return names.filter((name) => differs(wanted.length > 0 ? toPath(name) : [name]));
}

function namesOf(item: unknown): string[] {
  return typeof item === 'object' && item !== null ? Object.keys(item) : [];
}
