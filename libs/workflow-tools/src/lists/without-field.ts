import { toPath } from '@app/workflow-definition/kit';

type Fields = Record<string, unknown>;

/**
 * The object without a field: the one of that name, or else the one that the name leads to as a path (`address.city`; within
 * a list, that of every entry). Only what lies on the way is copied; the same object comes back where there is no such field.
 */
export function withoutField(fields: Fields, name: string): Fields {
  return without(fields, Object.hasOwn(fields, name) ? [name] : toPath(name)) as Fields;
}

function without(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return withinList(value, path);
  if (!Object.hasOwn(value, name)) return value;
  const fields = value as Fields;
  if (rest.length === 0) return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
  const within = without(fields[name], rest);
  if (within === fields[name]) return value;
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, key === name ? within : field]));
}

/** An entry itself is never taken out: the others would move up. */
function withinList(list: readonly unknown[], path: readonly string[]): unknown {
  const [name = '', ...rest] = path;
  const isEntry = Object.hasOwn(list, name) && name !== 'length';
  const changed = list.map((entry, index) => {
    if (!isEntry) return without(entry, path);
    return String(index) === name ? without(entry, rest) : entry;
  });
  return changed.some((entry, index) => entry !== list[index]) ? changed : list;
}
