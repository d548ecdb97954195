import { isIP, Socket } from 'node:net';
import { containPostgres, type EgressGuard } from '@app/integrations';
import { Client, DatabaseError, escapeIdentifier } from 'pg';
import { type BoundStatement, bindPlaceholders } from '../../statements/bind-placeholders.js';
import type { StoredSource } from '../../sources/stored-source.js';
import { identityOf, openAtAddress } from '../open-socket.js';
import { ReadSession, type SessionPlace } from '../read-session.js';
import { type ResultBounds, ResultCollector } from '../result-collector.js';
import type { SourceResult, SourceStatement } from '../../shapes/result-shapes.js';
import type { SessionLimits } from '../session-limits.js';
import { SourceFailure } from '../../shapes/source-failure.js';
import { GREETING_BYTES, watchBytes } from '../watched-socket.js';
import { cancelStatement } from './cancel-statement.js';
import { isPeoplesType, postgresKind } from './postgres-cells.js';
import { isAmbiguous, toPostgresFailure } from './postgres-failure.js';

const ROWS_PER_FETCH = 500;
/** Longer than the database's own limit: whoever is slower does not keep to it. */
const GRACE_MS = 2000;

/** All values as Postgres writes them, whatever their type. */
const asText = { getTypeParser: () => (value: string | null) => value };

/** $1: types as JSON. Those that are arrays, and the types of their items: of a domain the type that it is one of. */
const POSTGRES_ARRAYS = `SELECT t.oid::int8, CASE WHEN i.typtype = 'd' THEN i.typbasetype::int8 ELSE i.oid::int8 END
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_type i ON i.oid = t.typelem
  WHERE t.typcategory = 'A' AND t.typdelim = ',' AND t.oid::int8::text IN (SELECT pg_catalog.jsonb_array_elements_text($1::jsonb))`;

type Row = (string | null)[];
interface Share {
  fields: { name: string; dataTypeID: number }[];
  rows: Row[];
}

/**
 * Statements at a Postgres, each in a read-only transaction of its own. Settings are those of the transaction, as a pooler
 * in between gives the connection to others, and begin with it, as one refuses those of a connection.
 */
export class PostgresSession extends ReadSession {
  private constructor(
    private readonly client: Client,
    place: SessionPlace,
  ) {
    super(place);
    // What breaks between two statements is told by the next one.
    client.on('error', () => undefined);
  }

  /** @throws SourceFailure; the signal's reason */
  static open(
    source: StoredSource,
    guard: EgressGuard,
    limits: SessionLimits,
    signal: AbortSignal,
  ): Promise<PostgresSession> {
    return openAtAddress(source, guard, signal, async (address) => {
      const session = PostgresSession.prepare(source, address, limits, signal);
      const endWatch = watchBytes(session.place.socket, GREETING_BYTES);
      try {
        await session.client.connect();
        return session;
      } catch (error) {
        await session.end();
        signal.throwIfAborted();
        throw toPostgresFailure(error, source.secret);
      } finally {
        endWatch();
      }
    });
  }

  private static prepare(
    source: StoredSource,
    address: string,
    limits: SessionLimits,
    signal: AbortSignal,
  ): PostgresSession {
    const { host, port, database, username, secret, sslMode } = source;
    const socket = new Socket();
    const isVerified = sslMode === 'verify-full';
    const tls = {
      rejectUnauthorized: isVerified,
      ...(isVerified ? { checkServerIdentity: identityOf(host) } : {}),
      ...(isIP(host) === 0 ? { servername: host } : {}),
    };
    const client = new Client({
      host: address,
      port,
      database,
      user: username,
      // Not from the environment or a file of ours.
      password: () => secret,
      ssl: sslMode === 'disable' ? false : tls,
      stream: () => socket,
      connectionTimeoutMillis: limits.connectMs,
      query_timeout: limits.statementMs + GRACE_MS,
      application_name: 'atrium',
    });
    containPostgres(client);
    return new PostgresSession(client, { socket, source, address, limits, signal });
  }

  async select(statement: SourceStatement): Promise<SourceResult> {
    try {
      return await this.read(bindPlaceholders(statement, 'postgres'));
    } catch (error) {
      if (!isAmbiguous(error) || !this.isOpen) throw error;
      return this.read(bindPlaceholders(statement, 'postgres', { namesTexts: true }));
    }
  }

  protected async run({ text, values }: BoundStatement, bounds: ResultBounds): Promise<SourceResult> {
    const wired = values.map((value) => (value === null ? null : String(value)));
    // The database itself takes nothing but a SELECT here, whatever it says.
    await this.query(`DECLARE atrium_rows NO SCROLL CURSOR FOR ${text}`, wired);
    return this.fetchAll(bounds);
  }

  protected rollBack(): Promise<unknown> {
    return this.client.query('ROLLBACK');
  }

  protected isOfDatabase(error: unknown): boolean {
    return error instanceof DatabaseError;
  }

  protected failureOf(error: unknown): SourceFailure {
    if ((error as Error).message === 'Query read timeout')
      return new SourceFailure('query_timeout', 'The database took too long to answer.', error);
    return toPostgresFailure(error, this.place.source.secret);
  }

  protected async leave(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }

  protected async cancel(): Promise<void> {
    const { processID, secretKey } = this.client as unknown as { processID?: number; secretKey?: number };
    const { address, source } = this.place;
    if (processID && typeof secretKey === 'number')
      await cancelStatement({ address, port: source.port }, { processId: processID, secretKey });
  }

  protected async begin(): Promise<void> {
    const { statementMs } = this.place.limits;
    await this.client.query(
      `BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
       SET LOCAL statement_timeout = ${statementMs}; SET LOCAL lock_timeout = ${statementMs};
       SET LOCAL idle_in_transaction_session_timeout = ${statementMs + GRACE_MS}; SET LOCAL default_transaction_read_only = on;
       SET LOCAL standard_conforming_strings = on; SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, YMD';
       SET LOCAL bytea_output = hex; SET LOCAL extra_float_digits = 1; SET LOCAL cursor_tuple_fraction = 1`,
    );
    const { schemas } = this.place.source;
    if (schemas.length > 0)
      await this.query(`SELECT pg_catalog.set_config('search_path', $1, true)`, [
        schemas.map(escapeIdentifier).join(', '),
      ]);
  }

  private async fetchAll(bounds: ResultBounds): Promise<SourceResult> {
    let collector: ResultCollector | null = null;
    let kinds: ReturnType<typeof postgresKind>[] = [];
    for (;;) {
      const { fields, rows } = await this.query(`FETCH FORWARD ${ROWS_PER_FETCH} FROM atrium_rows`, []);
      if (!collector) {
        const items = await this.itemsOf(fields.map(({ dataTypeID }) => dataTypeID).filter(isPeoplesType));
        kinds = fields.map(({ dataTypeID }) => postgresKind(dataTypeID, items.get(dataTypeID)));
        const columns = fields.map(({ name }, at) => ({ name, type: kinds[at]!.type }));
        collector = new ResultCollector(columns, bounds);
      }
      for (const row of rows) {
        const cells = row.map((text, at) => (text === null ? null : kinds[at]!.read(text)));
        if (!collector.add(cells)) return collector.result();
      }
      if (rows.length < ROWS_PER_FETCH) return collector.result();
    }
  }

  /** Of which types the items are, of those that are arrays: no other than the database knows it of types of its own. */
  private async itemsOf(types: readonly number[]): Promise<ReadonlyMap<number, number>> {
    if (types.length === 0) return new Map();
    const { rows } = await this.query(POSTGRES_ARRAYS, [JSON.stringify(types)]);
    return new Map(rows.map(([array, item]) => [Number(array), Number(item)]));
  }

  /** In the extended protocol a text is one statement: "SELECT 1; COMMIT; DROP ..." is refused. */
  private async query(text: string, values: (string | null)[]): Promise<Share> {
    const options = { text, values, rowMode: 'array' as const, types: asText, queryMode: 'extended' as const };
    return this.client.query<Row>(options);
  }
}
