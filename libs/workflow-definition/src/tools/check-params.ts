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
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return 'This field is required.';
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1)
    return 'This field may not be blank.';
  return issue.code === 'invalid_union' ? ofUnion(issue) : issue.message;
}

/** "Invalid input" alone does not tell what would be valid. */
function ofUnion({ errors, message }: z.core.$ZodIssueInvalidUnion): string {
  // Where the value has the type of one of them, it is that one that was meant.
  const meant = errors.find((issues) => issues.length > 0 && !issues.some(isOfWrongType));
  if (meant) {
    const [first] = meant;
    const where = first!.path.length > 0 ? `${formatPath(first!.path).replace(/^\./, '')}: ` : '';
    return `${where}${toMessage(first!)}`;
  }
  const types = errors.map((issues) => issues.find(isOfWrongType)?.expected.replace('record', 'object'));
  const received = /received (\w+)$/.exec(errors[0]?.[0]?.message ?? '')?.[1];
  if (types.length === 0 || received === undefined || types.includes(undefined)) return message;
  if (received === 'undefined') return 'This field is required.';
  return `Invalid input: expected ${[...new Set(types)].join(' or ')}, received ${received}`;
}

function isOfWrongType(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidType {
  return issue.code === 'invalid_type' && issue.path.length === 0;
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
