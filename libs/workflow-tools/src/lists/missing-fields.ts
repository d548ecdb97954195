import { nearestName, toPath, valueAt } from '@app/workflow-definition/kit';

/** Of more fields, and more names of one item, nobody needs to be told. */
const MAX_FIELDS = 20;
const MAX_NAMES = 100;

/**
 * Warnings of fields that not one item has: a slip of the pen would sort nothing, keep nothing and add up to 0, and look
 * like a result. Of no items nothing is said, and nothing of the item itself (an empty field).
 */
export function missingFields(items: readonly unknown[], fields: readonly string[]): string[] {
  const asked = [...new Set(fields)].filter((field) => field !== '').slice(0, MAX_FIELDS);
  return items.length === 0 ? [] : asked.flatMap((field) => missing(items, field));
}

function missing(items: readonly unknown[], field: string): string[] {
  const path = toPath(field);
  if (items.some((item) => valueAt(item, path) !== undefined)) return [];
  const near = nearestName(field, namesOf(items[0]));
  const hint = near === null ? '' : ` Did you mean ${JSON.stringify(near)}?`;
  return [`No item has the field ${JSON.stringify(field)}.${hint}`];
}

function namesOf(item: unknown): string[] {
  const isObject = typeof item === 'object' && item !== null && !Array.isArray(item);
  return isObject ? Object.keys(item).slice(0, MAX_NAMES) : [];
}
