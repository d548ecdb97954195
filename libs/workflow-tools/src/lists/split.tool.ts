import { z } from 'zod';
import { defineKind, param, ToolError, toPath, valueAt } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { fieldPath, MAX_ITEMS } from '../params.js';

export const splitTool = defineKind({
  kind: 'split',
  version: '1.0.0',
  title: 'Split',
  description:
    'Makes many items of one: the entries of lists within items, the parts of a text, or portions of a long list.',
  category: categories.data,
  icon: 'split-square-vertical',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    value: param(z.unknown(), { label: 'Value', description: 'A list, an object that holds one, or a text.' }),
    mode: param(z.enum(['field', 'text', 'portions']).default('field'), {
      label: 'How',
      description: 'What is split, and where.',
      options: [
        { value: 'field', label: 'The entries of a list in each item' },
        { value: 'text', label: 'The parts of a text' },
        { value: 'portions', label: 'Portions of a list' },
      ],
    }),
    field: param(fieldPath.default(''), {
      label: 'Field with the list',
      description: 'Like order.lines; empty for the value itself.',
      visibleWhen: { mode: ['field'] },
    }),
    keep: param(z.array(fieldPath.min(1)).max(100).default([]), {
      label: 'Fields to keep',
      description: 'Of the item around the list; they are added to each entry.',
      visibleWhen: { mode: ['field'] },
    }),
    separator: param(z.string().min(1).max(100).default('\n'), {
      label: 'Separator',
      description: 'What stands between the parts of a text.',
      visibleWhen: { mode: ['text'] },
    }),
    size: param(z.coerce.number().int().min(1).max(MAX_ITEMS).default(100), {
      label: 'Items per portion',
      description: 'How long each portion of the list is.',
      type: 'integer',
      visibleWhen: { mode: ['portions'] },
    }),
  }),
  output: z.object({ items: z.array(z.unknown()), count: z.int() }),
  examples: [{ value: [{ id: 1, lines: [{ sku: 'a' }, { sku: 'b' }] }], field: 'lines', keep: ['id'] }],
  run: ({ value, mode, field, keep, separator, size }) => {
    const items =
      mode === 'text'
        ? parts(value, separator)
        : mode === 'portions'
          ? portions(value, size)
          : entries(value, field, keep);
    if (items.length > MAX_ITEMS) throw new ToolError('too_many_items', `At most ${MAX_ITEMS} items come out.`, false);
    return { output: { items, count: items.length } };
  },
});

function entries(value: unknown, field: string, keep: readonly string[]): unknown[] {
  const path = toPath(field);
  const around = Array.isArray(value) && field !== '' ? (value as unknown[]) : [value];
  return around.flatMap((item) => {
    const kept = keep.map((name): [string, unknown] => [name, valueAt(item, toPath(name)) ?? null]);
    return listOf(valueAt(item, path)).map((entry) => (kept.length > 0 ? withKept(entry, kept) : entry));
  });
}

function withKept(entry: unknown, kept: readonly [string, unknown][]): unknown {
  const own = typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? Object.entries(entry) : null;
  return Object.fromEntries([...kept, ...(own ?? [['value', entry] as const])]);
}

function parts(value: unknown, separator: string): string[] {
  if (typeof value !== 'string') throw new ToolError('invalid_params', 'value: Give a text.', false);
  const found = value.split(separator).map((part) => part.trim());
  return found.filter((part) => part !== '');
}

function portions(value: unknown, size: number): unknown[][] {
  const list = listOf(value);
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** What is no list counts as a list of one, and nothing as an empty one. */
function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as unknown[]) : [value];
}
