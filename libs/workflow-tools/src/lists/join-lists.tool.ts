import { z } from 'zod';
import { defineKind, param, ToolError, toPath, valueAt } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { isNothing } from '../comparison.js';
import { fieldPath, itemsParam, MAX_ITEMS } from '../params.js';
import { keyOf } from './keys.js';
import { missingFields } from './missing-fields.js';
import { groupBy } from './summary.js';

export const joinListsTool = defineKind({
  kind: 'join_lists',
  version: '1.1.0',
  title: 'Join lists',
  description: 'Puts the items of two lists together that agree in a field, like customers with their orders.',
  category: categories.data,
  icon: 'combine',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    left: itemsParam,
    right: param(z.array(z.unknown()).max(MAX_ITEMS), {
      label: 'Items to join',
      description: 'The second list, whose items are looked up.',
    }),
    left_key: param(fieldPath.min(1), {
      label: 'Field of the items',
      description: 'The field of the first list whose value is looked up in the second.',
    }),
    right_key: param(fieldPath.default(''), { label: 'Field of those to join', description: 'The same when empty.' }),
    mode: param(z.enum(['inner', 'left', 'full', 'unmatched']).default('left'), {
      label: 'What comes out',
      description: 'Whether items without a counterpart are kept.',
      options: [
        { value: 'inner', label: 'Only items with a match' },
        { value: 'left', label: 'All items, with their matches' },
        { value: 'full', label: 'All of both lists' },
        { value: 'unmatched', label: 'Only items without a match' },
      ],
    }),
    prefix: param(z.string().max(50).default(''), {
      label: 'Prefix of joined fields',
      description: 'Put before the names of joined fields, so that none of them clashes.',
    }),
    prefer: param(z.enum(['items', 'joined']).default('items'), {
      label: 'Where names clash',
      description: 'Whose field counts where the item and the joined one have a field of the same name.',
      options: [
        { value: 'items', label: 'That of the item' },
        { value: 'joined', label: 'That of the joined one' },
      ],
    }),
  }),
  output: z.object({ items: z.array(z.unknown()), count: z.int(), matched: z.int() }),
  examples: [
    {
      left: [{ id: 1, name: 'Ada' }],
      right: [{ customer: 1, total: 20 }],
      left_key: 'id',
      right_key: 'customer',
    },
  ],
  run: ({ left, right, left_key: leftKey, right_key: rightKey, mode, prefix, prefer }) => {
    const rightPaths = [toPath(rightKey || leftKey)];
    const leftPaths = [toPath(leftKey)];
    const candidates = groupBy(right, (item) => keyOf(item, rightPaths));
    const used = new Set<string>();
    const items: unknown[] = [];
    let matched = 0;
    for (const item of left) {
      const key = keyOf(item, leftPaths);
      // What has no such field, or nothing in it, agrees with nothing, least of all with all others that have none.
      const found = hasValue(item, leftPaths[0]!) ? candidates.get(key) : undefined;
      if (found) {
        used.add(key);
        matched += 1;
      }
      if (mode === 'unmatched' ? !found : !found && mode !== 'inner') items.push(item);
      else if (found && mode !== 'unmatched')
        for (const other of found) items.push(merged(item, other, prefix, prefer));
      if (items.length > MAX_ITEMS)
        throw new ToolError('too_many_items', `At most ${MAX_ITEMS} items come out.`, false);
    }
    if (mode === 'full') {
      for (const [key, rest] of candidates)
        if (!used.has(key)) items.push(...rest.map((item) => merged({}, item, prefix, prefer)));
    }
    const warnings = [...missingFields(left, [leftKey]), ...missingFields(right, [rightKey || leftKey])];
    return { output: { items, count: items.length, matched }, warnings };
  },
});

function hasValue(item: unknown, path: readonly string[]): boolean {
  return !isNothing(valueAt(item, path));
}

function merged(item: unknown, other: unknown, prefix: string, prefer: 'items' | 'joined'): unknown {
  const joined = fieldsOf(other, 'joined').map(([name, value]): [string, unknown] => [prefix + name, value]);
  const own = fieldsOf(item, 'value');
  return Object.fromEntries(prefer === 'items' ? [...joined, ...own] : [...own, ...joined]);
}

/** What is no object becomes one with a single field. */
function fieldsOf(value: unknown, name: string): [string, unknown][] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.entries(value) : [[name, value]];
}
