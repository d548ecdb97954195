import { cutText, InvalidRequestError, refuseUnstorable } from '@app/common';
import type { NamedQuery, ParamType, ParamValue, QueryParam } from './named-query.js';

/** Of a text that is bound. */
const TEXT_CHARACTERS = 20_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The values that are bound, in the order of the declarations. Null is a value of each type.
 * @throws InvalidRequestError `invalid_params`, with what is wrong by name in `params`
 */
export function bindParams(
  { name: query, params }: NamedQuery,
  given: Readonly<Record<string, unknown>>,
): Record<string, ParamValue> {
  const problems = new Map<string, string>();
  const bound: [string, ParamValue][] = [];
  for (const param of params) {
    const { name, default: fallback } = param;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value !== undefined) {
      const problem = problemOf(param, value);
      if (problem === null) bound.push([name, value as ParamValue]);
      else problems.set(name, problem);
    } else if (fallback !== undefined) bound.push([name, fallback]);
    else problems.set(name, `is missing (${param.type})`);
  }
  const declared = new Set(params.map(({ name }) => name));
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !declared.has(name)) problems.set(cutText(name, 100), 'is not declared');
  if (problems.size === 0) return Object.fromEntries(bound);
  const wrong = [...problems].map(([name, problem]) => `${name} ${problem}`).join('; ');
  throw new InvalidRequestError(`The query "${query}" cannot be asked: ${wrong}.`, {
    code: 'invalid_params',
    extra: { params: Object.fromEntries(problems) },
  });
}

const EXPECTED: Record<ParamType, string> = {
  text: 'has to be a text',
  number: 'has to be a number',
  boolean: 'has to be true or false',
  date: 'has to be a date, such as 2026-01-31',
};

function problemOf({ type }: QueryParam, value: unknown): string | null {
  if (value === null) return null;
  if (!isOfType(type, value)) return EXPECTED[type];
  if (typeof value !== 'string') return null;
  if (value.length > TEXT_CHARACTERS) return `has more than ${TEXT_CHARACTERS} characters`;
  return refuseUnstorable(value) === null ? null : 'has characters that no text has';
}

function isOfType(type: ParamType, value: unknown): boolean {
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'text') return typeof value === 'string';
  return typeof value === 'string' && isDay(value);
}

/** The calendar has no 30th of February, of which `Date` makes another day, and no year 0. */
function isDay(value: string): boolean {
  if (!DAY.test(value) || value.startsWith('0000')) return false;
  const day = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
}

/**
 * Values with which a statement can be tried where nobody has given any: defaults, and plain ones for parameters without.
 */
export function trialParams({ params }: NamedQuery): Record<string, ParamValue> {
  return Object.fromEntries(params.map(({ name, type, default: fallback }) => [name, fallback ?? PLAIN[type]]));
}

/** What few statements fail with: 1 is a limit, a share and a number of days; '' is no unit of time, which null may be. */
const PLAIN: Record<ParamType, ParamValue> = { text: null, number: 1, boolean: true, date: '2000-01-01' };
