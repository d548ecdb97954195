import { z } from 'zod';
import { withoutWrappers } from './without-wrappers.js';

/** A name that objects have from their birth, and that zod leaves out of a map without a word. */
const LEFT_OUT = '__proto__';

/** `safeParse` that keeps every name of a map of values: as a field of its own, like all outputs of nodes hold it. */
export function parseParams<P extends z.ZodObject>(schema: P, params: unknown): z.ZodSafeParseResult<z.output<P>> {
  const parsed = schema.safeParse(params);
  if (!parsed.success || !isMap(params)) return parsed;
  for (const [name, field] of Object.entries(schema.shape)) {
    const given = Object.hasOwn(params, name) ? params[name] : null;
    const read = (parsed.data as Record<string, unknown>)[name];
    if (isMap(given) && Object.hasOwn(given, LEFT_OUT) && isMap(read) && read !== given && holdsAnything(field))
      Object.defineProperty(read, LEFT_OUT, {
        value: Object.getOwnPropertyDescriptor(given, LEFT_OUT)!.value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return parsed;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function holdsAnything(schema: unknown): boolean {
  const inner = withoutWrappers(schema);
  if (inner instanceof z.ZodUnion) return inner.options.some(holdsAnything);
  return inner instanceof z.ZodRecord && withoutWrappers(inner.valueType) instanceof z.ZodUnknown;
}
