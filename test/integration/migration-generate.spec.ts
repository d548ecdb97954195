import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { schemaDrift } from '@app/entities';
import type { MigrationInterface } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const ROOT = join(__dirname, '../..');
const MIGRATIONS = join(ROOT, 'libs/entities/src/migrations');

describe('npm run migration:generate', () => {
  let database: TestDatabase;
  let folder: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'atrium-migrations-'));
    await cp(MIGRATIONS, folder, { recursive: true });
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const generate = async (name: string) => {
    const script = join(ROOT, 'scripts/generate-migration.mjs');
    const { stderr } = await promisify(execFile)(
      process.execPath,
      [script, name, '--database', database.url, '--folder', folder],
      { cwd: ROOT },
    );
    return stderr;
  };
  const added = async () => {
    const before = await readdir(MIGRATIONS);
    return (await readdir(folder)).filter((file) => !before.includes(file));
  };

  // These two leave everything as it is.
  it('says so where there is nothing to do', async () => {
    expect(await generate('nothing-new')).toContain('There is nothing to do');
    expect(await added()).toEqual([]);
  });

  it('refuses a name that is not one of a file', async () => {
    await expect(generate('Nothing New')).rejects.toMatchObject({ code: 1 });
  });

  it('writes a migration that repairs what the database lacks, and its line in the index', async () => {
    const { dataSource } = database;
    const whole = await schemaDrift(dataSource);
    await dataSource.query('DROP TABLE task_leases');
    await dataSource.query('ALTER TABLE documents DROP labels');
    await dataSource.query('ALTER TABLE upload_batch_items DROP CONSTRAINT upload_batch_items_pkey, DROP "position"');
    await dataSource.query('ALTER TABLE written_files ADD surplus integer');
    expect(await generate('what-was-lost')).toContain('Written: ');

    const [file] = await added();
    const number = Number.parseInt(file!);
    const latest = Math.max(...(await readdir(MIGRATIONS)).map((name) => Number.parseInt(name) || 0));
    expect(number % 100).toBe(0);
    expect(number).toBeGreaterThan(latest);
    const name = `WhatWasLost${number}`;
    const index = await readFile(join(folder, 'index.ts'), 'utf8');
    expect(index).toContain(`import { ${name} } from './${number}-what-was-lost.js';\n`);
    expect(index).toMatch(new RegExp(`, ?\\s*${name},?\\s*\\];`));
    const source = await readFile(join(folder, file!), 'utf8');
    expect(source).toContain('CREATE TABLE task_leases (\n        name text NOT NULL,');
    expect(source).toContain('ADD "position" integer NOT NULL');

    const module = (await import(join(folder, file!))) as Record<string, new () => MigrationInterface>;
    const migration = new module[name]!();
    expect(migration.name).toBe(name);
    const runner = dataSource.createQueryRunner();
    const lost = await schemaDrift(dataSource);
    await migration.up(runner);
    expect(await schemaDrift(dataSource)).toEqual(whole);
    await migration.down(runner);
    expect(await schemaDrift(dataSource)).toEqual(lost);
    await migration.up(runner);
    await runner.release();
  });
});
