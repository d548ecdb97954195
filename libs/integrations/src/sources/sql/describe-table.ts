import { escapeIdentifier } from 'pg';
import { SourceError } from '../source-error.js';
import type { ReadOnlySession } from './read-only-session.js';

export interface Selection {
  /** One SELECT whose rows come in an order that does not depend on chance. */
  sql: string;
}

/** How to read a table: all columns but bytes, in the order of the primary key, or of the whole row where there is none. */
export async function describeTable(name: string, session: ReadOnlySession): Promise<Selection> {
  const dot = name.indexOf('.');
  const [schema, table] = dot < 0 ? ['public', name] : [name.slice(0, dot), name.slice(dot + 1)];
  const quoted = `${escapeIdentifier(schema)}.${escapeIdentifier(table)}`;
  const columns = await session.run(
    `SELECT a.attname, array_position(i.indkey::int2[], a.attnum)::text
     FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
     WHERE a.attrelid = pg_catalog.to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
       AND a.atttypid <> 'bytea'::regtype
     ORDER BY a.attnum`,
    [quoted],
  );
  if (columns.length === 0) throw new SourceError('not_found', `The table "${name}" does not exist.`);
  const names = columns.map(([column]) => escapeIdentifier(column ?? ''));
  const key = columns
    .filter(([, position]) => position !== null)
    .toSorted(([, a], [, b]) => Number(a) - Number(b))
    .map(([column]) => escapeIdentifier(column ?? ''));
  const order = key.length > 0 ? key.join(', ') : 't::text';
  return { sql: `SELECT ${names.join(', ')} FROM ${quoted} t ORDER BY ${order}` };
}
