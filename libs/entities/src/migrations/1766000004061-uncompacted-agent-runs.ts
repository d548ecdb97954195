import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ended runs whose logs are to be made smaller: a few, among all that are kept. */
export class UncompactedAgentRuns1766000004061 implements MigrationInterface {
  name = 'UncompactedAgentRuns1766000004061';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    // What an attempt left behind that was cut off is invalid.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS dedicated_agent_runs_uncompacted');
    await runner.query(
      `CREATE INDEX CONCURRENTLY dedicated_agent_runs_uncompacted ON dedicated_agent_runs (finished_at)
       WHERE finished_at IS NOT NULL AND NOT log_compacted`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX dedicated_agent_runs_uncompacted');
  }
}
