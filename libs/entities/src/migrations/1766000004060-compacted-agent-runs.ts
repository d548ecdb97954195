import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The log of an ended run in few rows: what a joined row was told in, and which runs are done. */
export class CompactedAgentRuns1766000004060 implements MigrationInterface {
  name = 'CompactedAgentRuns1766000004060';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dedicated_agent_events ADD pieces text');
    await runner.query('ALTER TABLE dedicated_agent_runs ADD log_compacted boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dedicated_agent_runs DROP COLUMN log_compacted');
    await runner.query('ALTER TABLE dedicated_agent_events DROP COLUMN pieces');
  }
}
