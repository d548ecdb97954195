/** A result as it is read: text, or what its JSON says. */
export type ResultValue = { kind: 'text'; text: string } | { kind: 'json'; value: unknown };

export function toResultValue(text: string): ResultValue {
  const first = text.trimStart()[0];
  if (first === '{' || first === '[') {
    try {
      return { kind: 'json', value: JSON.parse(text) };
    } catch {
      // Text that only begins like it.
    }
  }
  return { kind: 'text', text };
}

/** One step of a path in the form of a JSON Pointer (RFC 6901). */
export function pointerStep(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * What stands at a JSON Pointer (`/items/3/name`), or at a path as programmers write it (`items[3].name`). `*` stands
 * for every member: the answer is then an array. Undefined where there is nothing.
 */
export function valueAt(root: unknown, path: string): unknown {
  return walk(root, stepsOf(path));
}

function stepsOf(path: string): string[] {
  const trimmed = path.trim();
  if (trimmed === '' || trimmed === '/' || trimmed === '$') return [];
  if (trimmed.startsWith('/'))
    return trimmed
      .slice(1)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return [...trimmed.replace(/^\$\.?/, '').matchAll(/\[(?:"([^"]*)"|'([^']*)'|([^\]]*))\]|([^.[\]]+)/g)].map(
    ([, double, single, bare, plain]) => double ?? single ?? bare ?? plain ?? '',
  );
}

function walk(value: unknown, steps: readonly string[]): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if (step === '*') return Object.values(value).map((one: unknown) => walk(one, rest) ?? null);
  if (!Object.hasOwn(value, step)) return undefined;
  return walk((value as Record<string, unknown>)[step], rest);
}
