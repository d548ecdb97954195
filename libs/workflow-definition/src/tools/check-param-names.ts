import { cutText } from '@app/common';
import { z } from 'zod';
import { nearestName } from './nearest-name.js';
import type { NodeProblem } from './tool.js';
import { withoutWrappers } from './without-wrappers.js';

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
      const near = nearestName(name, names);
      const where = path === 'params' ? 'parameter' : 'field';
      const message = `${kind} has no ${where} ${JSON.stringify(cutText(name, 128))}; it is ignored.${near === null ? '' : ` Did you mean ${JSON.stringify(near)}?`}`;
      problems.push({ code: 'unknown_param', path: `${path}.${name}`, message, isWarning: true });
    }
  }
}
