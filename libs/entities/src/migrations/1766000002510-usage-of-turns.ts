import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Uses of models by the turn that they were for. */
export class UsageOfTurns1766000002510 implements MigrationInterface {
  name = 'UsageOfTurns1766000002510';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    // What an attempt left behind that was cut off is invalid.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS model_usage_turn');
    await runner.query('CREATE INDEX CONCURRENTLY model_usage_turn ON model_usage (turn_id) WHERE turn_id IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX model_usage_turn');
  }
}
