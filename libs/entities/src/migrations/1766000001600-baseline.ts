import { StartupError } from '@app/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { BASELINE, FORMER_MIGRATIONS } from './baseline/index.js';

/**
 * The schema as 68 migrations had made it by 2026-11-23. A database that has all of them has nothing to do; one that has
 * none gets the schema, and their names with it, by which an api of the release before knows that it may work here.
 */
export class Baseline1766000001600 implements MigrationInterface {
  name = 'Baseline1766000001600';

  async up(runner: QueryRunner): Promise<void> {
    const rows = (await runner.query('SELECT name FROM migrations')) as { name: string }[];
    const applied = new Set(rows.map(({ name }) => name));
    const missing = FORMER_MIGRATIONS.filter((name) => !applied.has(name));
    if (missing.length === 0) return;
    if (missing.length < FORMER_MIGRATIONS.length)
      throw new StartupError(
        `The database lacks ${missing.length} of the ${FORMER_MIGRATIONS.length} migrations that the baseline of this release stands for (the first is ${missing[0]!}). ` +
          'Bring it up to date with an older release first: "npm run migrate" of commit 80ef4bdf, then that of this release.',
      );
    // Functions of triggers may name tables that are made after them.
    await runner.query('SET LOCAL check_function_bodies = off');
    for (const statement of BASELINE) await runner.query(statement);
    await runner.query(
      `INSERT INTO migrations (timestamp, name)
       SELECT right(name, 13)::bigint, name FROM unnest($1::text[]) WITH ORDINALITY AS former (name, at) ORDER BY at`,
      [FORMER_MIGRATIONS],
    );
  }

  async down(): Promise<void> {
    throw new Error('The baseline is not taken back: that would be to drop the database.');
  }
}
