import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs of an agent by what lists ask for, and those of its console, among the many of its jobs. */
export class FoundAgentRuns1766000004062 implements MigrationInterface {
  name = 'FoundAgentRuns1766000004062';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    // What an attempt left behind that was cut off is invalid.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS dedicated_agent_runs_listed');
    await runner.query(
      'CREATE INDEX CONCURRENTLY dedicated_agent_runs_listed ON dedicated_agent_runs (agent_id, id, status, origin)',
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS dedicated_agent_runs_agent_id');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS dedicated_agent_runs_chat');
    await runner.query(
      `CREATE INDEX CONCURRENTLY dedicated_agent_runs_chat ON dedicated_agent_runs (agent_id, id) WHERE origin = 'chat'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX dedicated_agent_runs_chat');
    await runner.query('CREATE INDEX dedicated_agent_runs_agent_id ON dedicated_agent_runs (agent_id, id)');
    await runner.query('DROP INDEX dedicated_agent_runs_listed');
  }
}
