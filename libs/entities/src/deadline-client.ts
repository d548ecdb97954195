import { Client, type ClientConfig } from 'pg';
import { KeptStatements } from './kept-statements.js';

type Send = (...query: unknown[]) => unknown;

/**
 * A Postgres connection that is given up when the server stays silent beyond `query_timeout`: a frozen or vanished
 * server cancels nothing by itself, and behind the silent query everything else on the connection would wait too.
 * The pool drops it then, and the next query opens a new one, perhaps to the server's successor.
 *
 * It keeps the statements that are marked so (`KeptStatements`), if nobody lends the session to others in between.
 */
export class DeadlineClient extends Client {
  private kept: KeptStatements | null = null;

  constructor(config?: string | ClientConfig) {
    super(config);
    const send = this.query.bind(this) as Send;
    const query: Send = (text, values, ...rest) => {
      const name = values && this.kept?.nameOf(text);
      const answer = name ? send({ name, text, values }, ...rest) : send(text, values, ...rest);
      if (answer instanceof Promise) answer.catch((error: unknown) => this.noteFailure(text, error));
      return answer;
    };
    this.query = query as Client['query'];
  }

  /**
   * A pooler such as PgBouncer lends its sessions for a transaction, and gives its clients a process id of its own making.
   * @param pid of the process that answers, as it says itself
   */
  noteServer(pid: number): void {
    const { processID } = this as unknown as { processID: number | null };
    this.kept = processID === pid ? new KeptStatements() : null;
  }

  private noteFailure(text: unknown, error: unknown): void {
    this.kept?.noteFailure(text, error);
    if (!isReadTimeout(error)) return;
    const { connection } = this as unknown as { connection: { stream: { destroy(): void } } };
    connection.stream.destroy();
  }
}

/** The driver gives this error no code. */
function isReadTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'message' in error && error.message === 'Query read timeout';
}
