const MB = 1024 * 1024;

/** What one call of `SourceSessions.run` may cost; the figures of results are those of tables of files. */
export interface SessionLimits {
  /** To have a connection, names and certificates included. */
  connectMs: number;
  /** At the server; a little later the connection is cut off. */
  statementMs: number;
  /** From the call to the answer, waiting for a place included. */
  callMs: number;
  /** That cross the network for one statement: no row is larger. */
  bytes: number;
  rows: number;
  /** UTF-16 code units of one value; the rest is cut off. */
  cellCharacters: number;
  /** Of one result as JSON. */
  resultCharacters: number;
  /** Of all results of a call. */
  allCharacters: number;
  /** Sessions of this process. */
  sessions: number;
  /** Of one person among them. */
  sessionsOfOwner: number;
}

export const SESSION_LIMITS: SessionLimits = {
  connectMs: 8000,
  statementMs: 20_000,
  callMs: 30_000,
  bytes: 32 * MB,
  rows: 10_000,
  cellCharacters: 10_000,
  resultCharacters: 4_000_000,
  allCharacters: 20_000_000,
  sessions: 16,
  sessionsOfOwner: 4,
};
