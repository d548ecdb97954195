import type { MigrationInterface, QueryRunner } from 'typeorm';

const RENAMED = {
  failed_tries: 'attempts',
  leased_by: 'lease_owner',
  lease_expires_at: 'leased_until',
  not_before: 'next_attempt_at',
};
const UNFINISHED = `processing_state IN ('pending_publish', 'queued', 'processing')`;

/** Table files have the columns of all background work. */
export class WorkColumnsOfImports1766000001310 implements MigrationInterface {
  name = 'WorkColumnsOfImports1766000001310';

  async up(runner: QueryRunner): Promise<void> {
    for (const [old, name] of Object.entries(RENAMED))
      await runner.query(`ALTER TABLE tabular_files RENAME COLUMN ${old} TO ${name}`);
    await runner.query('DROP INDEX tabular_files_unfinished');
    await runner.query('ALTER TABLE tabular_files DROP COLUMN attempt, DROP COLUMN rung_at');
    await runner.query(
      `UPDATE tabular_files SET next_attempt_at = CASE WHEN ${UNFINISHED} THEN coalesce(next_attempt_at, now()) END`,
    );
    await runner.query('ALTER TABLE tabular_files ALTER COLUMN next_attempt_at SET DEFAULT now()');
    await runner.query(
      'CREATE INDEX tabular_files_next_attempt_at ON tabular_files (next_attempt_at) WHERE next_attempt_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX tabular_files_next_attempt_at');
    await runner.query('ALTER TABLE tabular_files ALTER COLUMN next_attempt_at DROP DEFAULT');
    for (const [old, name] of Object.entries(RENAMED))
      await runner.query(`ALTER TABLE tabular_files RENAME COLUMN ${name} TO ${old}`);
    await runner.query(
      `ALTER TABLE tabular_files ADD COLUMN attempt integer NOT NULL DEFAULT 0,
         ADD COLUMN rung_at timestamptz NOT NULL DEFAULT now()`,
    );
    await runner.query(
      `CREATE INDEX tabular_files_unfinished ON tabular_files (processing_state, rung_at) WHERE ${UNFINISHED}`,
    );
  }
}
