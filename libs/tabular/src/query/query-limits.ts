const MB = 1024 * 1024;

/** What one run of statements may cost. Time and memory are enforced from outside, by killing the process. */
export interface QueryLimits {
  /** From the call to the answer, waiting for a free place included. */
  totalMs: number;
  /** What DuckDB may allocate, in MB. */
  databaseMb: number;
  /** Resident memory of the process; looked at every 50 ms, Linux only. */
  rssBytes: number;
  /** Address space of the process: what it can never get past in between. Linux only. */
  addressSpaceBytes: number;
  /** Rows of one result (docs/contract/tables.md#questions). */
  rows: number;
  /** UTF-16 code units of one text value; the rest is cut off. */
  cellCharacters: number;
  /** UTF-16 code units of one result as JSON; further rows are left out. */
  resultCharacters: number;
  /** Rows of one result of several statements that are run together, such as those of a page. */
  eachRows: number;
  /** UTF-16 code units of all their results as JSON; a further one is not given. */
  allCharacters: number;
}

export const DEFAULT_QUERY_LIMITS: QueryLimits = {
  totalMs: 30_000,
  databaseMb: 512,
  rssBytes: 1024 * MB,
  addressSpaceBytes: 4096 * MB,
  rows: 1000,
  cellCharacters: 10_000,
  resultCharacters: 4_000_000,
  eachRows: 10_000,
  allCharacters: 20_000_000,
};
