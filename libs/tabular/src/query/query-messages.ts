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

/** What a parameter may be. */
export type ParameterType = 'text' | 'number' | 'boolean' | 'date';

/** A parameter with its value, which is bound: nothing of it becomes a part of the statement. */
export interface BoundParameter {
  /** `[a-z_][a-z0-9_]*`; the statement calls it `:name`, whatever its case. */
  name: string;
  type: ParameterType;
  /** Of its type, a date as `YYYY-MM-DD`; texts are well formed, without null characters. */
  value: string | number | boolean | null;
}

/** One of several statements that have nothing to do with each other. */
export interface ScopedStatement {
  /** Position of what it may read. */
  scope: number;
  /** A single SELECT. */
  sql: string;
  parameters: readonly BoundParameter[];
}

/** Of one result. */
export interface ResultLimits {
  rows: number;
  cellCharacters: number;
  resultCharacters: number;
}

/** What the process is told, once. */
export type QueryRequest = BatchRequest | EachRequest;

export interface BatchRequest {
  kind: 'batch';
  files: readonly QueriedFile[];
  /** Run in order; the first that fails ends the run. */
  statements: readonly string[];
  /** Whether each result says on which cells it rests. */
  evidence: boolean;
  limits: ResultLimits & { databaseMb: number };
}

export interface EachRequest {
  kind: 'each';
  /** A statement sees the files of its scope, and no others. */
  scopes: readonly (readonly QueriedFile[])[];
  /** Each has an outcome of its own. */
  statements: readonly ScopedStatement[];
  limits: ResultLimits & { databaseMb: number; totalMs: number; allCharacters: number };
}

export interface QueryFailure {
  /**
   * `refused`: not a statement that may run. `failed`: the database's own words on one that does not work. `slow`: it
   * took longer than there was time. `bulky`: its result is more than all of a run may have. `unopened`: the files could
   * not be opened, which is no fault of the statement.
   */
  type: 'refused' | 'failed' | 'slow' | 'bulky' | 'unopened';
  message: string;
}

export type QueryReply =
  | { type: 'results'; results: QueryResult[] }
  /** That of a batch. */
  | QueryFailure
  /** It is at work on this one: if the process ends now, that was why. */
  | { type: 'begun'; at: number }
  | { type: 'outcome'; at: number; outcome: QueryResult | QueryFailure }
  /** All outcomes were told. */
  | { type: 'done' };
