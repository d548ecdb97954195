import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a run begins with, which of its questions wait for a person, and what that person said meanwhile. */
export class QuestionsOfAgentRuns1766000004010 implements MigrationInterface {
  name = 'QuestionsOfAgentRuns1766000004010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dedicated_agent_runs ADD attached_files jsonb NOT NULL DEFAULT '[]'`);
    await runner.query(`ALTER TABLE dedicated_agent_runs ADD pending jsonb NOT NULL DEFAULT '[]'`);
    await runner.query(`ALTER TABLE dedicated_agent_runs ADD steers jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dedicated_agent_runs DROP COLUMN steers');
    await runner.query('ALTER TABLE dedicated_agent_runs DROP COLUMN pending');
    await runner.query('ALTER TABLE dedicated_agent_runs DROP COLUMN attached_files');
  }
}
