/**
 * What a node hands on, in terms of the new workflow. n8n always hands on a list of items, most often of one; here an
 * output is a value. `single`: the one item, as a JSON value that may hold `{"$ref": …}`. `list`: a reference to a list.
 * `either`: a reference to what only the run can tell, such as the answer of another host.
 */
export type Shape = { type: 'single'; item: unknown } | { type: 'list'; ref: string } | { type: 'either'; ref: string };

export const NOTHING: Shape = { type: 'single', item: {} };

export function refTo(text: string): { $ref: string } {
  return { $ref: text };
}

export function singleAt(ref: string): Shape {
  return { type: 'single', item: refTo(ref) };
}

/** A value that a list parameter takes: a reference to a list, or a list of the one item. Null when only the run can tell. */
export function listValue(shape: Shape): unknown {
  if (shape.type === 'single') return [shape.item];
  return shape.type === 'list' ? refTo(shape.ref) : null;
}

/** The place of a field in the (first) item; undefined for a field that cannot be there. */
export function fieldOf(shape: Shape, path: readonly string[]): unknown {
  if (shape.type === 'list') return refTo(joinPath(`${shape.ref}[0]`, path));
  if (shape.type === 'either') return refTo(joinPath(shape.ref, path));
  let value = shape.item;
  for (const [index, key] of path.entries()) {
    if (typeof value !== 'object' || value === null) return undefined;
    if ('$ref' in value && typeof value.$ref === 'string') return refTo(joinPath(value.$ref, path.slice(index)));
    if (!Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** A path as it can stand in a reference; keys with dots or brackets cannot. */
export function isReferable(path: readonly string[]): boolean {
  return path.every((key) => /^[^\s.[\]{}\p{Cc}]([^.[\]{}\p{Cc}]*[^\s.[\]{}\p{Cc}])?$/u.test(key));
}

function joinPath(ref: string, path: readonly string[]): string {
  return ref + path.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join('');
}
