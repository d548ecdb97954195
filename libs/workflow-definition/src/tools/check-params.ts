import type { z } from 'zod';
import { formatPath } from '../graph/node-schema.js';
import { containsReference, referenceTarget } from '../references/params-template.js';
import { acceptsReference } from './param.js';

interface ParamProblem {
  code: string;
  path: string;
  message: string;
}

/**
 * Problems of params as they stand in a definition. What a reference stands for is known only in a run, so a
 * complaint about a value that is, or holds, a reference is dropped; the run checks it again.
 * @param opaque params that hold definitions: references in them are their own affair.
 */
export function checkUnresolvedParams(
  schema: z.ZodObject,
  params: Record<string, unknown>,
  opaque: readonly string[] = [],
): ParamProblem[] {
  const problems: ParamProblem[] = [];
  for (const [name, field] of Object.entries(schema.shape)) {
    if (!Object.hasOwn(params, name) || opaque.includes(name) || acceptsReference(field as z.ZodType)) continue;
    if (!containsReference(params[name])) continue;
    problems.push({ code: 'reference_not_allowed', path: `params.${name}`, message: 'No reference can stand here.' });
  }
  const parsed = schema.safeParse(params);
  if (parsed.success) return problems;
  for (const issue of parsed.error.issues) {
    if (dependsOnReference(params, issue.path)) continue;
    problems.push({ code: 'invalid_params', path: `params${formatPath(issue.path)}`, message: toMessage(issue) });
  }
  return problems;
}

export function toMessage(issue: z.core.$ZodIssue): string {
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return isMissing ? 'This field is required.' : issue.message;
}

function dependsOnReference(params: unknown, path: readonly PropertyKey[]): boolean {
  let value = params;
  for (const key of path) {
    // A schema may make a list of a text, and complain of an item.
    if (typeof value !== 'object' || value === null) return containsReference(value);
    if (referenceTarget(value) !== null) return true;
    // A missing key is missing whatever the references beside it turn out to be.
    if (!Object.hasOwn(value, key)) return false;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return containsReference(value);
}
