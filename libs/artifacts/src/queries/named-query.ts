/** What a parameter of a query may be; dates are `YYYY-MM-DD`. */
export const PARAM_TYPES = ['text', 'number', 'boolean', 'date'] as const;
export type ParamType = (typeof PARAM_TYPES)[number];
export type ParamValue = string | number | boolean | null;

export interface QueryParam {
  /** By which the statement calls it, as `:name`. */
  name: string;
  type: ParamType;
  /** For whoever gives none; without one it has to be given. */
  default?: ParamValue;
}

/** A query of a page, under the name by which the page asks for it. */
export interface NamedQuery {
  /** Unique in its version; `[a-z][a-z0-9_]*`. */
  name: string;
  /** `file:<uid>` or `ds:<id>`. */
  sourceRef: string;
  /** A single SELECT over the tables of its source. */
  sql: string;
  params: QueryParam[];
}
