import type { NamedQuery, ParamValue } from './named-query.js';
import type { QueryOutcome } from './source-queries.js';

/** A query with the value of each of its parameters. */
export interface BoundQuery {
  query: NamedQuery;
  values: Readonly<Record<string, ParamValue>>;
}

export const failed = (code: string, message: string): QueryOutcome => ({ error: { code, message } });
