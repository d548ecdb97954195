import { z } from 'zod';
import leven from 'leven';
import type { NodeProblem } from './tool.js';
import { withoutWrappers } from './without-wrappers.js';

const MAX_NAME_LENGTH = 60;
/** So many are enough to see that it is something else altogether. */
const MAX_PROBLEMS = 50;

/** Names that the kind does not know, also inside of its params: they are ignored, and are often misspelled. */
export function checkParamNames(kind: string, schema: z.ZodObject, params: Record<string, unknown>): NodeProblem[] {
  const problems: NodeProblem[] = [];
  look(schema, params, 'params', kind, problems);
  return problems;
}

function look(schema: unknown, value: unknown, path: string, kind: string, problems: NodeProblem[]): void {
  const inner = withoutWrappers(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) look(inner.element, item, `${path}[${index}]`, kind, problems);
    return;
  }
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value) && !('$ref' in value);
  if (!(inner instanceof z.ZodObject) || !isPlain || inner.def.catchall) return;
  const names = Object.keys(inner.shape);
  for (const [name, item] of Object.entries(value)) {
    if (problems.length === MAX_PROBLEMS) return;
    if (names.includes(name)) look(inner.shape[name], item, `${path}.${name}`, kind, problems);
    else if (path !== 'params' || name !== '_webhook_payload') {
      const near = nearest(name, names);
      const where = path === 'params' ? 'parameter' : 'field';
      const message = `${kind} has no ${where} ${JSON.stringify(name.slice(0, 128))}; it is ignored.${near === null ? '' : ` Did you mean ${JSON.stringify(near)}?`}`;
      problems.push({ code: 'unknown_param', path: `${path}.${name}`, message, isWarning: true });
    }
  }
}

/** Null where nothing is similar enough to be meant. */
function nearest(name: string, names: readonly string[]): string | null {
  if (name.length > MAX_NAME_LENGTH) return null;
  const plain = plainly(name);
  const scored = names.map((other) => {
    const known = plainly(other);
    const isPart = Math.min(plain.length, known.length) > 2 && (known.includes(plain) || plain.includes(known));
    return { other, distance: Math.min(leven(plain, known), isPart ? 2 : Infinity) };
  });
  const [best] = scored.sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(plain.length > 3 ? 2 : 1, Math.floor(plain.length / 3)) ? best.other : null;
}

function plainly(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
