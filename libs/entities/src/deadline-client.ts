import { Client, type ClientConfig } from 'pg';

type Send = (...query: unknown[]) => unknown;

/**
 * A Postgres connection that is given up when the server stays silent beyond `query_timeout`: a frozen or vanished
 * server cancels nothing by itself, and behind the silent query everything else on the connection would wait too.
 * The pool drops it then, and the next query opens a new one, perhaps to the server's successor.
 */
export class DeadlineClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const send = this.query.bind(this) as Send;
    const query: Send = (...args) => {
      const answer = send(...args);
      if (answer instanceof Promise) answer.catch((error: unknown) => this.giveUpAfter(error));
      return answer;
    };
    this.query = query as Client['query'];
  }

  private giveUpAfter(error: unknown): void {
    if (!isReadTimeout(error)) return;
    const { connection } = this as unknown as { connection: { stream: { destroy(): void } } };
    connection.stream.destroy();
  }
}

/** The driver gives this error no code. */
function isReadTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'message' in error && error.message === 'Query read timeout';
}
