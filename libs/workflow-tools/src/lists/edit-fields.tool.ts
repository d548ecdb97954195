import { z } from 'zod';
import { defineKind, param, toPath, valueAt } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { fieldPath, MAX_ITEMS } from '../params.js';
import { missingFields } from './missing-fields.js';
import { withoutField } from './without-field.js';

const objectSchema = z.record(z.string(), z.unknown());

export const editFieldsTool = defineKind({
  kind: 'edit_fields',
  version: '1.0.0',
  title: 'Edit fields',
  description: 'Picks, removes, renames and adds fields of an object, or of every item of a list.',
  category: categories.data,
  icon: 'square-pen',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    value: param(z.union([z.array(z.unknown()).max(MAX_ITEMS), objectSchema]), {
      label: 'Object or list',
      description: 'The object, or the list of objects, whose fields are changed.',
      type: 'object',
    }),
    pick: param(z.array(fieldPath.min(1)).max(200).default([]), {
      label: 'Keep only',
      description: 'Fields like address.city, which is then called address.city; all fields when empty.',
    }),
    remove: param(z.array(z.string().min(1).max(200)).max(200).default([]), {
      label: 'Remove',
      description: 'Fields to leave out, like address.city; in a list within the item, those of every entry.',
    }),
    rename: param(z.record(z.string(), z.string().min(1).max(200)).default({}), {
      label: 'Rename',
      description: 'Old names with their new ones; a field within another one, like address.city, is taken out of it.',
    }),
    add: param(objectSchema.default({}), {
      label: 'Add',
      description: 'Fields with values; they replace those of the same name.',
    }),
  }),
  output: z.object({ value: z.unknown(), items: z.array(z.unknown()), count: z.int() }),
  examples: [{ value: [{ id: 1, name: 'Ada', secret: 'x' }], remove: ['secret'], rename: { name: 'title' } }],
  run: ({ value, pick, remove, rename, add }) => {
    const found = new Set<string>();
    const take = (fields: Record<string, unknown>, name: string): Record<string, unknown> => {
      const left = withoutField(fields, name);
      if (left !== fields) found.add(name);
      return left;
    };
    const edit = (item: unknown): unknown => {
      if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
      const picked =
        pick.length > 0
          ? pick.map((field): [string, unknown] => [field, valueAt(item, toPath(field)) ?? null])
          : Object.entries(item);
      const kept = remove.reduce(take, Object.fromEntries(picked) as Record<string, unknown>);
      const names = Object.entries(lifted(kept, Object.keys(rename)));
      const taken = new Set(names.flatMap(([name]) => (Object.hasOwn(rename, name) ? [rename[name]!] : [])));
      // A field that gets the name of another one takes its place, wherever the two stand.
      const left = names.filter(([name]) => Object.hasOwn(rename, name) || !taken.has(name));
      const renamed = left.map(([name, field]) => [Object.hasOwn(rename, name) ? rename[name]! : name, field]);
      return Object.fromEntries([...renamed, ...Object.entries(add)]) as unknown;
    };
    const edited = Array.isArray(value) ? value.map(edit) : edit(value);
    const items: unknown[] = Array.isArray(edited) ? edited : [];
    const sources: readonly unknown[] = Array.isArray(value) ? value : [value];
    // Where some are picked, a new name is for one of these.
    const named = pick.length > 0 ? pick : Object.keys(rename);
    const unremoved = remove.filter((name) => !found.has(name));
    const warnings = missingFields(sources, [...named, ...unremoved]);
    return { output: { value: edited, items, count: items.length }, warnings };
  },
});

/** The fields, with those that a path leads to beside them, under that path, in place of where they were. */
function lifted(fields: Record<string, unknown>, paths: readonly string[]): Record<string, unknown> {
  let left = fields;
  for (const path of paths) {
    if (Object.hasOwn(left, path)) continue;
    const field = valueAt(left, toPath(path));
    const rest = field === undefined ? left : withoutField(left, path);
    if (rest !== left) left = Object.fromEntries([...Object.entries(rest), [path, field]]);
  }
  return left;
}
