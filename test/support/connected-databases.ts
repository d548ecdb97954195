import { randomBytes } from 'node:crypto';
import {
  DataSources,
  SchemaBrowser,
  type SourceOutcome,
  SourceOutcomes,
  SourceGuard,
  SourceProbe,
  type SourceResult,
  SourceSessions,
  type SourceStatement,
  type StoredSource,
  StoredSources,
} from '@app/data-sources';
import { KeyRing, SealingService } from '@app/secrets';
import type { LookupAddress } from 'node:dns';
import type { TestDatabase } from './database.js';

export const READER_SECRET = `pw-${randomBytes(12).toString('hex')}`;

/** Sessions at databases, with the rows of a test's own database for what is connected. */
export class ConnectedDatabases {
  readonly stored: StoredSources;
  readonly outcomes: SourceOutcomes;
  readonly sessions: SourceSessions;
  readonly schemas: SchemaBrowser;
  readonly probe: SourceProbe;
  private readonly sealing: SealingService;

  private constructor(
    private readonly database: TestDatabase,
    readonly ownerId: number,
    guard: SourceGuard,
  ) {
    this.sealing = new SealingService(new KeyRing(randomBytes(32).toString('base64')));
    this.stored = new StoredSources(database.dataSource, this.sealing);
    this.outcomes = new SourceOutcomes(database.dataSource);
    this.sessions = new SourceSessions(this.stored, this.outcomes, guard);
    this.schemas = new SchemaBrowser(this.stored, this.sessions);
    this.probe = new SourceProbe(new DataSources(database.dataSource), this.stored, this.sessions, this.outcomes);
  }

  static async of(
    database: TestDatabase,
    allowedHosts: string[],
    resolve?: (name: string) => Promise<LookupAddress[]>,
  ): Promise<ConnectedDatabases> {
    const [{ id }] = await database.dataSource.query<[{ id: number }]>(
      `INSERT INTO users (username, email) VALUES ($1, $1 || '@test.example') RETURNING id`,
      [`u${randomBytes(6).toString('hex')}`],
    );
    return new ConnectedDatabases(database, id, new SourceGuard({ allowedHosts, ...(resolve ? { resolve } : {}) }));
  }

  /** @returns its id */
  async connect(source: Omit<StoredSource, 'id' | 'revision' | 'schemas'> & { schemas?: string[] }): Promise<number> {
    const { type, host, port, database, username, sslMode, secret, schemas = [] } = source;
    const [{ id }] = await this.database.dataSource.query<[{ id: number }]>(
      `INSERT INTO data_sources (owner_id, name, type, host, port, database, username, ssl_mode, schemas)
       VALUES ($1, 'Books', $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
      [this.ownerId, type, host, port, database, username, sslMode, JSON.stringify(schemas)],
    );
    await this.database.dataSource.query('UPDATE data_sources SET secret_sealed = $2 WHERE id = $1', [
      id,
      this.sealing.seal(secret, { table: 'data_sources', column: 'secret_sealed', row: id }),
    ]);
    return id;
  }

  run(id: number, ...statements: (string | SourceStatement)[]): Promise<SourceOutcome[]> {
    return this.sessions.run(
      this.ownerId,
      id,
      statements.map((each) => (typeof each === 'string' ? { sql: each, params: {}, types: {} } : each)),
    );
  }

  /** @throws when there is no result */
  async rows(id: number, statement: string | SourceStatement): Promise<SourceResult> {
    const [outcome] = await this.run(id, statement);
    if (!outcome || 'error' in outcome) throw new Error(JSON.stringify(outcome));
    return outcome;
  }

  /** @throws when there is none */
  async failure(id: number, statement: string | SourceStatement): Promise<{ code: string; message: string }> {
    const [outcome] = await this.run(id, statement);
    if (!outcome || !('error' in outcome)) throw new Error(`Not refused: ${JSON.stringify(outcome)}`);
    return outcome.error;
  }
}
