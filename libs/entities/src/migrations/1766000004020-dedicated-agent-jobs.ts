import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DedicatedAgentJobs1766000004020 implements MigrationInterface {
  name = 'DedicatedAgentJobs1766000004020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE dedicated_agent_jobs (
        id uuid NOT NULL,
        agent_id uuid NOT NULL,
        name text NOT NULL,
        prompt text NOT NULL,
        kind text NOT NULL,
        interval_minutes integer,
        cron text,
        run_at TIMESTAMP WITH TIME ZONE,
        timezone text NOT NULL DEFAULT 'UTC',
        display text NOT NULL,
        repeat_times integer,
        repeat_completed integer NOT NULL DEFAULT '0',
        misfire_policy text NOT NULL DEFAULT 'run_once',
        notify text NOT NULL DEFAULT 'none',
        enabled boolean NOT NULL DEFAULT true,
        state text NOT NULL DEFAULT 'scheduled',
        anchor_at TIMESTAMP WITH TIME ZONE NOT NULL,
        next_run_at TIMESTAMP WITH TIME ZONE,
        requested_at TIMESTAMP WITH TIME ZONE,
        due_at TIMESTAMP WITH TIME ZONE,
        claimed_until TIMESTAMP WITH TIME ZONE,
        last_run_at TIMESTAMP WITH TIME ZONE,
        last_status text,
        last_error text,
        version integer NOT NULL DEFAULT '1',
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT dedicated_agent_jobs_status_check CHECK (last_status IN ('ok', 'error', 'blocked_config')),
        CONSTRAINT dedicated_agent_jobs_notify_check CHECK (notify IN ('none', 'mail')),
        CONSTRAINT dedicated_agent_jobs_misfire_check CHECK (misfire_policy IN ('skip', 'run_once')),
        CONSTRAINT dedicated_agent_jobs_state_check CHECK (state IN ('scheduled', 'paused', 'completed', 'error')),
        CONSTRAINT dedicated_agent_jobs_kind_check CHECK (kind IN ('interval', 'cron', 'once')),
        CONSTRAINT dedicated_agent_jobs_pkey PRIMARY KEY (id)
      )`);
    await runner.query(
      `CREATE INDEX dedicated_agent_jobs_due ON dedicated_agent_jobs  (due_at) WHERE due_at IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX dedicated_agent_jobs_agent_id ON dedicated_agent_jobs  (agent_id, created_at) `);
    await runner.query(`CREATE TABLE dedicated_agent_executions (
        id uuid NOT NULL,
        job_id uuid NOT NULL,
        scheduled_for TIMESTAMP WITH TIME ZONE NOT NULL,
        source text NOT NULL DEFAULT 'due',
        status text NOT NULL,
        late boolean NOT NULL DEFAULT false,
        missed integer NOT NULL DEFAULT '0',
        run_id uuid,
        started_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        finished_at TIMESTAMP WITH TIME ZONE,
        error text,
        CONSTRAINT dedicated_agent_executions_source_check CHECK (source IN ('due', 'run')),
        CONSTRAINT dedicated_agent_executions_status_check CHECK (status IN ('running', 'ok', 'error', 'skipped', 'missed')),
        CONSTRAINT dedicated_agent_executions_pkey PRIMARY KEY (id)
      )`);
    await runner.query(
      `CREATE INDEX dedicated_agent_executions_started_at ON dedicated_agent_executions  (started_at) `,
    );
    await runner.query(
      `CREATE INDEX dedicated_agent_executions_run_id ON dedicated_agent_executions  (run_id) WHERE run_id IS NOT NULL`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX dedicated_agent_executions_running ON dedicated_agent_executions  (job_id) WHERE status = 'running'`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX dedicated_agent_executions_slot_key ON dedicated_agent_executions  (job_id, scheduled_for) `,
    );
    await runner.query(
      `ALTER TABLE dedicated_agent_jobs ADD CONSTRAINT dedicated_agent_jobs_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES dedicated_agents(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE dedicated_agent_executions ADD CONSTRAINT dedicated_agent_executions_job_id_fkey FOREIGN KEY (job_id) REFERENCES dedicated_agent_jobs(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE dedicated_agent_executions ADD CONSTRAINT dedicated_agent_executions_run_id_fkey FOREIGN KEY (run_id) REFERENCES dedicated_agent_runs(id) ON DELETE SET NULL ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dedicated_agent_executions DROP CONSTRAINT dedicated_agent_executions_run_id_fkey`);
    await runner.query(`ALTER TABLE dedicated_agent_executions DROP CONSTRAINT dedicated_agent_executions_job_id_fkey`);
    await runner.query(`ALTER TABLE dedicated_agent_jobs DROP CONSTRAINT dedicated_agent_jobs_agent_id_fkey`);
    await runner.query(`DROP INDEX public.dedicated_agent_executions_slot_key`);
    await runner.query(`DROP INDEX public.dedicated_agent_executions_running`);
    await runner.query(`DROP INDEX public.dedicated_agent_executions_run_id`);
    await runner.query(`DROP INDEX public.dedicated_agent_executions_started_at`);
    await runner.query(`DROP TABLE dedicated_agent_executions`);
    await runner.query(`DROP INDEX public.dedicated_agent_jobs_agent_id`);
    await runner.query(`DROP INDEX public.dedicated_agent_jobs_due`);
    await runner.query(`DROP TABLE dedicated_agent_jobs`);
  }
}
