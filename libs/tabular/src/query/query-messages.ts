/** A table of an uploaded file under the name by which statements call it. */
export interface QueriedTable {
  /** In its file. */
  name: string;
  /** Unique among all tables of the run, whatever their case. */
  alias: string;
}

/** A column of rows that are no database yet. */
export interface LoadedColumn {
  name: string;
  type: Exclude<ResultType, 'json'>;
}

/** One file, as a path on this machine: a DuckDB database, such as uploaded files become. */
export interface QueriedFile {
  path: string;
  tables: readonly QueriedTable[];
  /** Then it has one table, as lines of JSON objects with these members. */
  columns?: readonly LoadedColumn[];
}

/**
 * Of a column: those of uploaded files (docs/contract/tables.md#questions), and `json` for lists and structs that a
 * query makes.
 */
export type ResultType = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'datetime' | 'json';

/** JSON alone: whole numbers that JavaScript cannot hold are strings, dates ISO 8601, NaN and infinities null. */
export type Cell = string | number | boolean | null | Cell[] | { [key: string]: Cell };

export interface ResultColumn {
  name: string;
  type: ResultType;
}

/** The rows of one table on which an answer rests. */
export interface Evidence {
  /** Alias of the table. */
  table: string;
  /** Those that the statement names, in the order of the table. */
  columns: readonly string[];
  /** Runs of rows by ordinals from 0 in the order of the table, both ends included; the first ones when there are many. */
  spans: [first: number, last: number][];
  /** Cells of the first rows, by `columns`. */
  rows: Cell[][];
}

export interface QueryResult {
  columns: ResultColumn[];
  rows: Cell[][];
  /** Whether the statement has more rows, or longer texts, than are given here. */
  truncated: boolean;
  durationMs: number;
  /** When asked for. */
  evidence?: Evidence[];
}

/** What the process is told, once. */
export interface QueryRequest {
  files: readonly QueriedFile[];
  /** Run in order; the first that fails ends the run. */
  statements: readonly string[];
  /** Whether each result says on which cells it rests. */
  evidence: boolean;
  limits: { rows: number; cellCharacters: number; resultCharacters: number; databaseMb: number };
}

export type QueryReply =
  | { type: 'results'; results: QueryResult[] }
  /** The files could not be opened: no fault of a statement. */
  | { type: 'unopened'; message: string }
  /** `refused`: not a statement that may run. `failed`: the database's own words on one that does not work. */
  | { type: 'refused' | 'failed'; message: string };
