import { BIGINT, BOOLEAN, DATE, DOUBLE, DuckDBDateValue, INTEGER, VARCHAR } from '@duckdb/node-api';
import type { DuckDBPreparedStatement, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { BoundParameter } from '../query-messages.js';
import { RefusedStatement } from './sql-guard.js';

const NAME_STARTS = /[A-Za-z_\u0080-\uffff]/;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const NUMBER = /\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const PARAMETER = /:([A-Za-z_]\w*)(?![\w$\u0080-\uffff])/y;
/** Two texts with a line break between are one, in the spelling of the first. */
const CONTINUED = /[ \t\f]*(?:--[^\n\r]*)?[\n\r](?:[ \t\n\r\f]|--[^\n\r]*[\n\r])*'/y;
const LINE_COMMENT = /--[^\n\r]*/y;
/** Behind one of these a colon parts two things: the ends of a slice, a key and its value, a name and what it names. */
const OPERAND_ENDS = /[\w$"'\])}]|[^\s!-~]/;

/**
 * The statement with `$name`, as DuckDB calls parameters, for each `:name`. What stands in texts, quoted names and
 * comments is no parameter, nor is a colon that follows straight on what it parts from the next (`{'a':b}`, `x[1:n]`).
 * Nothing is put in but names that are declared: values are bound.
 * @param known in lower case
 * @throws RefusedStatement for a parameter that is not declared, or is written in another way
 */
export function toDatabaseParameters(sql: string, known: ReadonlySet<string>): string {
  let written = '';
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(sql);
  };
  while (at < sql.length) {
    const start = at;
    const character = sql[at]!;
    if (character === "'") at = endOfText(sql, at + 1, false);
    else if (character === '"') at = endOfQuoted(sql, at + 1, '"', false);
    else if (sql.startsWith('--', at)) at += match(LINE_COMMENT)![0].length;
    else if (sql.startsWith('/*', at)) at = endOfComment(sql, at + 2);
    else if (character === '$') at = endOfDollarText(sql, at, match(DOLLAR_TAG)?.[0]);
    else if (character === '?') throw new RefusedStatement(OTHER_SPELLING);
    else if (sql.startsWith('::', at) || sql.startsWith(':=', at)) at += 2;
    else if (character === ':' && !OPERAND_ENDS.test(sql[at - 1] ?? '')) {
      const [all, name] = match(PARAMETER) ?? [character, null];
      at += all.length;
      if (name !== null) {
        written += `$${declared(name, known)}`;
        continue;
      }
    } else if (NAME_STARTS.test(character)) {
      const word = match(WORD)![0];
      at += word.length;
      if (/^e$/i.test(word) && sql[at] === "'") at = endOfText(sql, at + 1, true);
    } else at += match(NUMBER)?.[0].length ?? 1;
    written += sql.slice(start, at);
  }
  return written;
}

const OTHER_SPELLING = 'Write a parameter as :name, with the name by which it is declared.';

function declared(written: string, known: ReadonlySet<string>): string {
  const name = written.toLowerCase();
  if (known.has(name)) return name;
  throw new RefusedStatement(
    `No parameter :${written} is declared. Where a colon is none, a space behind it says so ("{'a': ${written}}").`,
  );
}

function endOfText(sql: string, from: number, escapes: boolean): number {
  let at = endOfQuoted(sql, from, "'", escapes);
  for (;;) {
    CONTINUED.lastIndex = at;
    const next = CONTINUED.exec(sql);
    if (!next) return at;
    at = endOfQuoted(sql, at + next[0].length, "'", escapes);
  }
}

/** A quote that is doubled is one of the text; so is one behind a backslash where these escape. */
function endOfQuoted(sql: string, from: number, quote: string, escapes: boolean): number {
  for (let at = from; at < sql.length; at++) {
    if (escapes && sql[at] === '\\') at++;
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  return sql.length;
}

/** Comments nest. */
function endOfComment(sql: string, from: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = from;
  for (let depth = 1, mark = marks.exec(sql); mark; mark = marks.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return sql.length;
}

function endOfDollarText(sql: string, at: number, tag: string | undefined): number {
  if (tag === undefined) throw new RefusedStatement(OTHER_SPELLING);
  const end = sql.indexOf(tag, at + tag.length);
  return end === -1 ? sql.length : end + tag.length;
}

/** Binds those that the statement names; each is what a literal of its value would be. */
export function bindParameters(prepared: DuckDBPreparedStatement, parameters: readonly BoundParameter[]): void {
  const values: Record<string, DuckDBValue> = {};
  const types: Record<string, DuckDBType> = {};
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  for (let at = 1; at <= prepared.parameterCount; at++) {
    const parameter = byName.get(prepared.parameterName(at));
    if (!parameter) throw new RefusedStatement(OTHER_SPELLING);
    const [value, type] = toDatabaseValue(parameter);
    values[parameter.name] = value;
    types[parameter.name] = type;
  }
  prepared.bind(values, types);
}

const INTEGER_LIMIT = 2 ** 31;

function toDatabaseValue({ type, value }: BoundParameter): [DuckDBValue, DuckDBType] {
  if (type === 'number') {
    if (!Number.isSafeInteger(value)) return [value, DOUBLE];
    const whole = value as number;
    return whole >= -INTEGER_LIMIT && whole < INTEGER_LIMIT ? [whole, INTEGER] : [BigInt(whole), BIGINT];
  }
  if (type === 'boolean') return [value, BOOLEAN];
  if (type === 'text') return [value, VARCHAR];
  if (value === null) return [null, DATE];
  const [year, month, day] = String(value).split('-').map(Number);
  return [DuckDBDateValue.fromParts({ year: year!, month: month!, day: day! }), DATE];
}
