import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people should know of how a table file was read, beside its tables. */
export class TabularWarnings1766000000200 implements MigrationInterface {
  name = 'TabularWarnings1766000000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE tabular_files ADD COLUMN warnings jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tabular_files DROP COLUMN warnings');
  }
}
