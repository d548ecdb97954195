import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose turn it is among the table files that wait for their import. */
export class FairImports1766000000610 implements MigrationInterface {
  name = 'FairImports1766000000610';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tabular_files ADD started_at timestamptz, ADD not_before timestamptz');
    await runner.query(
      'CREATE INDEX tabular_files_owner_started ON tabular_files (owner_id, started_at) WHERE started_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX tabular_files_owner_started');
    await runner.query('ALTER TABLE tabular_files DROP started_at, DROP not_before');
  }
}
