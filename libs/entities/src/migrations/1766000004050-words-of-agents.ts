import type { MigrationInterface, QueryRunner } from 'typeorm';

export class WordsOfAgents1766000004050 implements MigrationInterface {
  name = 'WordsOfAgents1766000004050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE dedicated_agent_notices (
        id uuid NOT NULL,
        agent_id uuid NOT NULL,
        job_id uuid NOT NULL,
        job_name text NOT NULL,
        run_id uuid,
        session_id integer NOT NULL,
        status text NOT NULL,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT dedicated_agent_notices_status_check CHECK (status IN ('ok', 'error', 'blocked_config', 'skipped')),
        CONSTRAINT dedicated_agent_notices_pkey PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE INDEX dedicated_agent_notices_created_at ON dedicated_agent_notices  (created_at) `);
    await runner.query(`CREATE INDEX dedicated_agent_notices_agent_id ON dedicated_agent_notices  (agent_id, id) `);
    await runner.query(`ALTER TABLE dedicated_agent_runs ADD halts_on_expiry boolean NOT NULL DEFAULT false`);
    await runner.query(`ALTER TABLE dedicated_agent_jobs ADD halts_on_expiry boolean NOT NULL DEFAULT false`);
    await runner.query(`ALTER TABLE dedicated_agent_jobs ADD made_by_job boolean NOT NULL DEFAULT false`);
    await runner.query(`ALTER TABLE dedicated_agent_jobs ADD told_error text`);
    await runner.query(
      `ALTER TABLE dedicated_agent_notices ADD CONSTRAINT dedicated_agent_notices_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES dedicated_agents(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dedicated_agent_notices DROP CONSTRAINT dedicated_agent_notices_agent_id_fkey`);
    await runner.query(`ALTER TABLE dedicated_agent_jobs DROP COLUMN told_error`);
    await runner.query(`ALTER TABLE dedicated_agent_jobs DROP COLUMN made_by_job`);
    await runner.query(`ALTER TABLE dedicated_agent_jobs DROP COLUMN halts_on_expiry`);
    await runner.query(`ALTER TABLE dedicated_agent_runs DROP COLUMN halts_on_expiry`);
    await runner.query(`DROP INDEX public.dedicated_agent_notices_agent_id`);
    await runner.query(`DROP INDEX public.dedicated_agent_notices_created_at`);
    await runner.query(`DROP TABLE dedicated_agent_notices`);
  }
}
