import { Socket } from 'node:net';
import { Client } from 'pg';
import type { EgressGuard } from '../../guarded-fetch/egress-guard.js';
import { containPostgres } from './contain-postgres.js';
import { toPostgresFailure } from './postgres-failure.js';

export interface DatabaseAccess {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  ssl: 'verify' | 'require' | 'disable';
}

export type Row = (string | null)[];

const CONNECT_MS = 5000;
const STATEMENT_MS = 60_000;
/** Longer than the database's own limit: whoever is slower does not keep to it. */
const SILENCE_MS = STATEMENT_MS + 10_000;
const ROWS_PER_FETCH = 200;
/** Rows arrive as the database sends them: without a limit it could fill our memory. */
const MAX_BYTES_PER_STATEMENT = 64 * 1024 * 1024;
const WATCH_MS = 25;

/** All values as Postgres writes them, whatever their type. */
const asText = { getTypeParser: () => (value: string | null) => value };

/** One read-only transaction: every statement sees the same state, and none can change it. */
export class ReadOnlySession {
  private readonly release: () => void;
  private ended = false;

  private constructor(
    private readonly client: Client,
    private readonly socket: Socket,
    private readonly signal: AbortSignal | undefined,
  ) {
    const abort = () => socket.destroy(signal?.reason as Error);
    signal?.addEventListener('abort', abort, { once: true });
    this.release = () => signal?.removeEventListener('abort', abort);
    // What breaks between two statements is told by the next one.
    client.on('error', () => undefined);
  }

  /** Connects to an address that the guard has checked, one after the other. @throws SourceError */
  static async open(access: DatabaseAccess, guard: EgressGuard, signal?: AbortSignal): Promise<ReadOnlySession> {
    signal?.throwIfAborted();
    let failure: unknown;
    try {
      for (const { address } of await guard.resolve(access.host, access.port)) {
        const session = ReadOnlySession.prepare(access, address, signal);
        try {
          await session.begin();
          return session;
        } catch (error) {
          failure = error;
          await session.end();
        }
      }
    } catch (error) {
      failure = error;
    }
    if (signal?.aborted) throw signal.reason;
    throw toPostgresFailure(failure);
  }

  /** The rows of one statement. @throws SourceError */
  async run(text: string, values: string[] = []): Promise<Row[]> {
    return (await this.query(text, values)).values;
  }

  /** The rows of a SELECT, as they come, with the names of its columns; at least one share, perhaps without rows. */
  async *select(sql: string): AsyncGenerator<{ columns: string[]; values: Row[] }> {
    await this.query(`DECLARE rows NO SCROLL CURSOR FOR ${sql}`, []);
    for (;;) {
      const share = await this.query(`FETCH FORWARD ${ROWS_PER_FETCH} FROM rows`, []);
      yield share;
      if (share.values.length < ROWS_PER_FETCH) return;
    }
  }

  async end(): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    this.release();
    // Not the polite way: a database that does not answer would keep us waiting, and nothing is to be committed.
    this.socket.destroy();
    await this.client.end().catch(() => undefined);
  }

  private static prepare(access: DatabaseAccess, address: string, signal: AbortSignal | undefined): ReadOnlySession {
    const { host, port, database, user, password, ssl } = access;
    const socket = new Socket();
    const client = new Client({
      host: address,
      port,
      database,
      user,
      password,
      ssl: ssl === 'disable' ? false : { rejectUnauthorized: ssl === 'verify', servername: host },
      stream: () => socket,
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: STATEMENT_MS,
      query_timeout: SILENCE_MS,
      application_name: 'atrium-import',
    });
    containPostgres(client);
    return new ReadOnlySession(client, socket, signal);
  }

  private async begin(): Promise<void> {
    await this.client.connect();
    await this.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY', []);
    for (const setting of [`timezone = 'UTC'`, `datestyle = 'ISO, YMD'`, 'extra_float_digits = 1'])
      await this.query(`SET LOCAL ${setting}`, []);
  }

  private async query(text: string, values: string[]): Promise<{ columns: string[]; values: Row[] }> {
    const atMost = this.socket.bytesRead + MAX_BYTES_PER_STATEMENT;
    const watch = setInterval(() => {
      if (this.socket.bytesRead > atMost) this.socket.destroy(new Error('The rows are too large.'));
    }, WATCH_MS);
    try {
      // In the extended protocol a text is one statement: "SELECT 1; COMMIT; DROP ..." is refused.
      const options = { text, values, rowMode: 'array' as const, types: asText, queryMode: 'extended' as const };
      const result = await this.client.query<Row>(options);
      return { columns: result.fields.map(({ name }) => name), values: result.rows };
    } catch (error) {
      if (this.signal?.aborted) throw this.signal.reason;
      throw toPostgresFailure(error);
    } finally {
      clearInterval(watch);
    }
  }
}
