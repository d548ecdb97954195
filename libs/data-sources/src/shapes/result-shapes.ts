/** What a parameter may be; dates are `YYYY-MM-DD`. */
export type BoundType = 'text' | 'number' | 'boolean' | 'date';
export type BoundValue = string | number | boolean | null;

/** A single SELECT in the words of the database, with `:name` where a value is bound. */
export interface SourceStatement {
  sql: string;
  params: Readonly<Record<string, BoundValue>>;
  /** Of each parameter. */
  types: Readonly<Record<string, BoundType>>;
}

export type SourceColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'datetime' | 'json';

/** JSON alone, as `Cell` of `@app/tabular`: whole numbers that JavaScript cannot hold are strings, dates ISO 8601. */
export type SourceCell = string | number | boolean | null | SourceCell[] | { [key: string]: SourceCell };

export interface SourceColumn {
  name: string;
  type: SourceColumnType;
}

export interface SourceResult {
  columns: SourceColumn[];
  rows: SourceCell[][];
  /** Whether the statement has more rows, or longer texts, than are given here. */
  truncated: boolean;
}

/** A result, or why there is none, in words for whoever wrote the statement. */
export type SourceOutcome = SourceResult | { error: { code: string; message: string } };
