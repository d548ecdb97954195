import { SourceFailure } from '../shapes/source-failure.js';
import type { BoundType, BoundValue, SourceStatement } from '../shapes/result-shapes.js';
import type { DatabaseType } from '../shapes/source-shapes.js';
import { checkStatement } from './check-statement.js';
import type { SqlToken } from './sql-tokens.js';

/** A statement as its driver takes it: values are beside it, and nothing of them is in its text. */
export interface BoundStatement {
  text: string;
  values: BoundValue[];
}

export interface BindingOptions {
  /** Whether a text says that it is one, where Postgres cannot tell of itself what a parameter is. */
  namesTexts: boolean;
}

const [SMALL, LARGE] = [2 ** 31, Number.MAX_SAFE_INTEGER];

/**
 * The statement with what its database calls parameters for each `:name`.
 * @throws SourceFailure (`query_refused`) for a statement that may not run, and for a parameter that is not declared
 */
export function bindPlaceholders(
  { sql, params, types }: SourceStatement,
  dialect: DatabaseType,
  { namesTexts }: BindingOptions = { namesTexts: false },
): BoundStatement {
  const tokens = checkStatement(sql, dialect);
  const declared = new Map(Object.entries(types).map(([name, type]) => [name.toLowerCase(), { name, type }]));
  const values: BoundValue[] = [];
  const places = new Map<string, string>();
  const text = tokens.map((token, at) => {
    if (token.kind !== 'placeholder') return token.text;
    const known = declared.get(token.text);
    if (!known) throw undeclared(token.text);
    const value = params[known.name] ?? null;
    if (dialect === 'mysql') {
      values.push(value);
      return '?';
    }
    const cast = castOf(known.type, value, namesTexts || asksForNull(tokens, at));
    const key = `${token.text} ${cast}`;
    // The same parameter is the same expression, which GROUP BY looks for.
    const place = places.get(key) ?? `$${values.push(value)}`;
    places.set(key, place);
    return `${place}${cast}`;
  });
  return { text: text.join(''), values };
}

function undeclared(name: string): SourceFailure {
  return new SourceFailure(
    'query_refused',
    `No parameter :${name} is declared. Where a colon is none, a space behind it says so.`,
  );
}

/** The type that a literal of the value would have. A text has none, as a quoted literal: it becomes what it is compared with. */
function castOf(type: BoundType, value: BoundValue, namesText: boolean): string {
  if (type === 'text') return namesText ? '::text' : '';
  if (type === 'boolean') return '::boolean';
  if (type === 'date') return '::date';
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > LARGE) return '::numeric';
  return value >= -SMALL && value < SMALL ? '::int4' : '::int8';
}

/** Of `:name IS NULL` alone Postgres cannot tell what the parameter is. */
function asksForNull(tokens: readonly SqlToken[], at: number): boolean {
  const next = wordAfter(tokens, at);
  const then = wordAfter(tokens, next);
  return tokens[next]?.named === 'is' && /^(null|not)$/.test(tokens[then]?.named ?? '');
}

/** The place of what follows, blanks left out. */
function wordAfter(tokens: readonly SqlToken[], at: number): number {
  let next = at + 1;
  while (tokens[next]?.kind === 'space') next += 1;
  return next;
}
