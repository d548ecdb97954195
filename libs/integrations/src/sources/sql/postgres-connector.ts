import { Readable } from 'node:stream';
import type { EgressGuard } from '../../guarded-fetch/egress-guard.js';
import { SourceConnector, type SourceItem, type SourcePage } from '../source-connector.port.js';
import { SourceError } from '../source-error.js';
import { describeTable, type Selection } from './describe-table.js';
import { ReadOnlySession } from './read-only-session.js';
import type { SqlConfig } from './sql-source.js';
import { toCsvLine } from './to-csv-line.js';

/**
 * A table is written in the order of its primary key, so that the same rows are the same bytes. Its readers get one
 * line per row that names each column (the indexer's reading of CSV), which finds single rows better than a Markdown
 * table whose head is pages away.
 */
export class PostgresConnector extends SourceConnector {
  constructor(
    private readonly config: SqlConfig,
    private readonly password: string,
    private readonly maxRows: number,
    private readonly guard: EgressGuard,
  ) {
    super();
  }

  /** Opens the database and looks at every table and query, without reading rows. */
  async test(signal?: AbortSignal): Promise<void> {
    const session = await this.connect(signal);
    try {
      for (const { id } of this.items()) {
        const { sql } = await this.selectionOf(id, session);
        await session.run(`EXPLAIN ${sql}`);
      }
    } finally {
      await session.end();
    }
  }

  /** What the configuration names; whether it is there shows when it is opened. */
  async list(): Promise<SourcePage> {
    return { items: this.items(), removedIds: [], cursor: null, isLast: true };
  }

  async open(item: SourceItem, signal?: AbortSignal): Promise<Readable> {
    const session = await this.connect(signal);
    try {
      const selection = await this.selectionOf(item.id, session);
      const stream = Readable.from(this.read(session, selection), { objectMode: false });
      // A generator that nobody began to read runs no `finally`.
      return stream.once('close', () => void session.end());
    } catch (error) {
      await session.end();
      throw error;
    }
  }

  async close(): Promise<void> {}

  private items(): SourceItem[] {
    const unknown = { path: '', size: null, modifiedAt: null, etag: null };
    return [
      ...[...new Set(this.config.tables)].map((table) => ({ id: `table:${table}`, name: `${table}.csv`, ...unknown })),
      ...this.config.queries.map(({ name }) => ({ id: `query:${name}`, name: `${name}.csv`, ...unknown })),
    ];
  }

  private async selectionOf(id: string, session: ReadOnlySession): Promise<Selection> {
    const query = this.config.queries.find(({ name }) => id === `query:${name}`);
    if (query) return { sql: query.sql.trim().replace(/;\s*$/, '') };
    return describeTable(id.replace(/^table:/, ''), session);
  }

  private async *read(session: ReadOnlySession, { sql }: Selection): AsyncGenerator<string> {
    let rows = 0;
    for await (const { columns, values } of session.select(sql)) {
      if (rows === 0) yield toCsvLine(columns);
      rows += values.length;
      if (rows > this.maxRows)
        throw new SourceError(
          'refused',
          `It has more than ${this.maxRows} rows. A named query can select fewer of them.`,
        );
      yield values.map(toCsvLine).join('');
    }
  }

  private async connect(signal: AbortSignal | undefined): Promise<ReadOnlySession> {
    const { host, port, ssl } = this.config;
    if (ssl !== 'verify' && !this.guard.isAllowed(host, port))
      throw new SourceError('refused', 'This host is called with a verified certificate only: ssl must be "verify".');
    return ReadOnlySession.open({ ...this.config, password: this.password }, this.guard, signal);
  }
}
