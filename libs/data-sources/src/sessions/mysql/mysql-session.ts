import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { containStream, type EgressGuard } from '@app/integrations';
import mysql, { type Connection } from 'mysql2';
import { type BoundStatement, bindPlaceholders } from '../../statements/bind-placeholders.js';
import type { StoredSource } from '../../sources/stored-source.js';
import { connectSocket, openAtAddress } from '../open-socket.js';
import { ReadSession, type SessionPlace } from '../read-session.js';
import { type ResultBounds, ResultCollector } from '../result-collector.js';
import type { BoundValue, SourceResult, SourceStatement } from '../../shapes/result-shapes.js';
import type { SessionLimits } from '../session-limits.js';
import { SourceFailure } from '../../shapes/source-failure.js';
import { GREETING_BYTES, watchBytes } from '../watched-socket.js';
import { mysqlCell, type MysqlField, mysqlType } from './mysql-cells.js';
import { isOfDatabase, toMysqlFailure } from './mysql-failure.js';

/** Longer than the database's own limit: whoever is slower does not keep to it. */
const GRACE_MS = 2000;
const KILL_MS = 3000;
/** Under these, texts and names are written in another way than statements are looked at; some stand for several. */
const OTHER_WRITING = /^(ANSI|ANSI_QUOTES|NO_BACKSLASH_ESCAPES|ORACLE|MSSQL|POSTGRESQL|DB2|MAXDB)$/;

/** Statements at a MySQL or MariaDB, each prepared, in a read-only transaction of its own. */
export class MysqlSession extends ReadSession {
  private constructor(
    private readonly connection: Connection,
    place: SessionPlace,
  ) {
    super(place);
    // What breaks between two statements is told by the next one.
    connection.on('error', () => undefined);
  }

  /** @throws SourceFailure; the signal's reason */
  static open(
    source: StoredSource,
    guard: EgressGuard,
    limits: SessionLimits,
    signal: AbortSignal,
  ): Promise<MysqlSession> {
    return openAtAddress(source, guard, signal, async (address) => {
      const { socket, connection } = await connectMysql(source, address, limits.connectMs, signal);
      const session = new MysqlSession(connection, { socket, source, address, limits, signal });
      const endWatch = watchBytes(socket, GREETING_BYTES);
      try {
        await session.setUp();
        return session;
      } catch (error) {
        await session.end();
        signal.throwIfAborted();
        throw toMysqlFailure(error, source.secret);
      } finally {
        endWatch();
      }
    });
  }

  select(statement: SourceStatement): Promise<SourceResult> {
    return this.read(bindPlaceholders(statement, 'mysql'));
  }

  protected begin(): Promise<void> {
    return this.command('START TRANSACTION READ ONLY');
  }

  protected rollBack(): Promise<void> {
    return this.command('ROLLBACK');
  }

  protected isOfDatabase(error: unknown): boolean {
    return isOfDatabase(error);
  }

  protected failureOf(error: unknown): SourceFailure {
    return toMysqlFailure(error, this.place.source.secret);
  }

  protected async leave(): Promise<void> {
    this.connection.destroy();
  }

  private async setUp(): Promise<void> {
    const { statementMs, rows } = this.place.limits;
    const [[version, mode] = []] = await this.rowsOf('SELECT VERSION(), @@SESSION.sql_mode');
    const kept = String(mode)
      .split(',')
      .filter((each) => !OTHER_WRITING.test(each));
    await this.command(`SET SESSION sql_mode = '${kept.join(',').replace(/[^A-Z_,]/g, '')}'`);
    await this.command(
      `SET SESSION time_zone = '+00:00', sql_select_limit = ${rows + 1}, lock_wait_timeout = ${Math.ceil(statementMs / 1000)}`,
    );
    await this.command(
      /mariadb/i.test(String(version))
        ? `SET SESSION max_statement_time = ${statementMs / 1000}`
        : `SET SESSION max_execution_time = ${statementMs}`,
    );
    await this.command('SET SESSION TRANSACTION READ ONLY');
  }

  protected run({ text: sql, values }: BoundStatement, bounds: ResultBounds): Promise<SourceResult> {
    const { socket, limits } = this.place;
    return new Promise((done, fail) => {
      const late = setTimeout(() => {
        fail(new SourceFailure('query_timeout', 'The database took too long to answer.'));
      }, limits.statementMs + GRACE_MS);
      let fields: MysqlField[] = [];
      let collector: ResultCollector | null = null;
      let isFull = false;
      const running = this.connection.execute({ sql, values: values.map(toDriverValue), rowsAsArray: true });
      const settle = (error: Error | null) => {
        clearTimeout(late);
        socket.off('close', broken);
        if (error) fail(error);
        else if (collector) done(collector.result());
        else fail(new SourceFailure('query_refused', 'Only a single SELECT statement may run.'));
      };
      const broken = () => settle(new Error('The connection broke off.'));
      socket.once('close', broken);
      running.on('error', settle);
      running.on('fields', (told: MysqlField[] | undefined) => {
        fields = told ?? [];
        const columns = fields.map((field) => ({ name: field.name, type: mysqlType(field) }));
        collector = new ResultCollector(columns, bounds);
      });
      running.on('result', (row: unknown) => {
        if (isFull || !collector || !Array.isArray(row)) return;
        isFull = !collector.add(row.map((value, at) => mysqlCell(value, fields[at]!)));
        if (!isFull) return;
        settle(null);
        // The rest would have to be read to be passed over.
        this.cut();
      });
      running.on('end', () => settle(null));
    });
  }

  private async command(sql: string): Promise<void> {
    await this.rowsOf(sql);
  }

  private rowsOf(sql: string): Promise<unknown[][]> {
    const { socket, limits } = this.place;
    return new Promise((done, fail) => {
      const broken = () => fail(new Error('The connection broke off.'));
      socket.once('close', broken);
      this.connection.query({ sql, rowsAsArray: true, timeout: limits.connectMs }, (error, rows) => {
        socket.off('close', broken);
        if (error) fail(error);
        else done(rows as unknown[][]);
      });
    });
  }

  /** Over a connection of its own. Never throws: without it, it ends by its own limit. */
  protected async cancel(): Promise<void> {
    const { threadId } = this.connection;
    const { source, address } = this.place;
    if (!threadId) return;
    try {
      const { connection, socket } = await connectMysql(source, address, KILL_MS, AbortSignal.timeout(KILL_MS));
      connection.on('error', () => undefined);
      await new Promise((done) => connection.query({ sql: `KILL ${Number(threadId)}`, timeout: KILL_MS }, done));
      connection.destroy();
      socket.destroy();
    } catch {
      // Nobody is there, or we may not.
    }
  }
}

async function connectMysql(
  { host, port, database, username, secret, sslMode }: StoredSource,
  address: string,
  ms: number,
  signal: AbortSignal,
): Promise<{ socket: Socket; connection: Connection }> {
  const socket = await connectSocket(address, port, ms, signal);
  const isVerified = sslMode === 'verify-full';
  const connection = mysql.createConnection({
    host,
    port,
    user: username,
    password: secret,
    database,
    stream: socket,
    connectTimeout: ms,
    ...(sslMode === 'disable' ? {} : { ssl: { rejectUnauthorized: isVerified, verifyIdentity: isVerified } }),
    charset: 'utf8mb4',
    multipleStatements: false,
    flags: ['-LOCAL_FILES'],
    // The database names columns; nothing of what it says becomes code.
    disableEval: true,
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: false,
    jsonStrings: true,
    timezone: 'Z',
  });
  contain(connection);
  // Packets out of order, about which the driver writes into our log, one by one.
  connection.on('warn', () => socket.destroy());
  const endWatch = watchBytes(socket, GREETING_BYTES);
  try {
    await new Promise<void>((done, fail) => {
      const broken = () => fail(signal.aborted ? (signal.reason as Error) : new Error('The connection broke off.'));
      socket.once('close', broken);
      connection.on('error', fail);
      connection.connect((error) => {
        socket.off('close', broken);
        if (error) fail(error);
        else done();
      });
    });
    return { socket, connection };
  } catch (error) {
    connection.destroy();
    socket.destroy();
    signal.throwIfAborted();
    throw toMysqlFailure(error, secret);
  } finally {
    endWatch();
  }
}

/** As `containPostgres`, whichever stream carries the protocol. */
function contain(connection: Connection): void {
  const driver = connection as unknown as { stream: Duplex; startTLS(done: (error?: Error) => void): void };
  containStream(driver.stream);
  const startTls = driver.startTLS.bind(connection);
  driver.startTLS = (done) => {
    startTls(done);
    containStream(driver.stream);
  };
}

/** Whole numbers as such: LIMIT takes no others. */
function toDriverValue(value: BoundValue): BoundValue | mysql.TypedParameterValue {
  return typeof value === 'number' && Number.isSafeInteger(value) ? mysql.TypedParameter.LONGLONG(value) : value;
}
