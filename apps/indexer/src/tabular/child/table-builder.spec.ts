import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseEscapes } from '../../../../../test/support/hostile/database-escapes.js';
import type { ImportRequest } from '../import-messages.js';
import { TableBuilder } from './table-builder.js';

describe('the database of an import', () => {
  let folder: string;
  let builder: TableBuilder;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-builder-'));
    const workFolder = join(folder, 'work');
    await mkdir(workFolder);
    await writeFile(join(workFolder, 'x.duckdb_extension'), 'not one');
    await writeFile(join(folder, 'neighbour.csv'), 'a\n1\n');
    const path = join(folder, 'own.csv');
    await writeFile(path, 'a\n1\n');
    const databasePath = join(workFolder, 'built.duckdb');
    const request = {
      kind: 'csv' as const,
      path,
      workFolder,
      databasePath,
      formulaProgram: '',
      duckdbBytes: 64 * 1024 * 1024,
    };
    builder = await TableBuilder.create(request as ImportRequest);
  });
  afterAll(async () => {
    await builder.close();
    await rm(folder, { recursive: true });
  });

  const run = (sql: string) => builder['rows'](sql.replaceAll('/tmp/atrium-none', join(folder, 'work')));

  it('reads its file and no other', async () => {
    expect(await run(`SELECT count(*) FROM read_csv('${join(folder, 'own.csv')}')`)).toEqual([[1n]]);
    await expect(run(`FROM read_csv('${join(folder, 'neighbour.csv')}')`)).rejects.toThrow(/disabled|allowed|cannot/i);
  });

  it.each(databaseEscapes('/tmp/atrium-none').map((sql) => [sql]))('refuses %s', async (sql) => {
    await expect(run(sql)).rejects.toThrow();
    expect(existsSync('/tmp/atrium-escape')).toBe(false);
  });
});
