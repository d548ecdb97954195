import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a turn of table-chat has changed is one change, in which each of its calls stands once. */
export class ChangesOfTurns1766000003200 implements MigrationInterface {
  name = 'ChangesOfTurns1766000003200';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    await runner.query('ALTER TABLE extracted_table_changes ADD COLUMN IF NOT EXISTS calls jsonb');
    // What an attempt left behind that was cut off is invalid.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS extracted_table_changes_turn_id');
    await runner.query(
      `CREATE UNIQUE INDEX CONCURRENTLY extracted_table_changes_turn_id ON extracted_table_changes (turn_id)
       WHERE turn_id IS NOT NULL AND undone_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX extracted_table_changes_turn_id');
    await runner.query('ALTER TABLE extracted_table_changes DROP COLUMN calls');
  }
}
