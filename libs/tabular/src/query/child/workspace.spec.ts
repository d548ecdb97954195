import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { databaseEscapes } from '../../../../../test/support/hostile/database-escapes.js';
import { openWorkspace } from './workspace.js';

// Statements of people are checked before they run (`sql-guard.ts`); this is what holds if a check is passed.
describe('the database of a query', () => {
  let folder: string;
  let connection: DuckDBConnection;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-workspace-'));
    await writeFile(join(folder, 'x.duckdb_extension'), 'not one');
    connection = await openWorkspace([], 64);
  });
  afterAll(async () => {
    connection.closeSync();
    await rm(folder, { recursive: true });
  });

  it('computes', async () => {
    expect((await connection.runAndReadAll('SELECT 6 * 7')).getRows()).toEqual([[42]]);
  });

  it.each(databaseEscapes('/tmp/atrium-none').map((sql) => [sql]))('refuses %s', async (sql) => {
    await expect(connection.runAndReadAll(sql.replaceAll('/tmp/atrium-none', folder))).rejects.toThrow();
    expect(existsSync('/tmp/atrium-escape')).toBe(false);
  });
});
