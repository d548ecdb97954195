import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DedicatedAgents1766000004005 implements MigrationInterface {
  name = 'DedicatedAgents1766000004005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE dedicated_agents (
        id uuid NOT NULL,
        user_id integer NOT NULL,
        status text NOT NULL DEFAULT 'provisioning',
        note text NOT NULL DEFAULT '',
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT dedicated_agents_status_check CHECK (status IN ('provisioning', 'running', 'paused', 'stopped')),
        CONSTRAINT dedicated_agents_pkey PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE UNIQUE INDEX dedicated_agents_user_id_key ON dedicated_agents  (user_id) `);
    await runner.query(`CREATE TABLE dedicated_agent_runs (
        attempts integer NOT NULL DEFAULT '0',
        fence integer NOT NULL DEFAULT '0',
        lease_owner text,
        leased_until TIMESTAMP WITH TIME ZONE,
        last_error text NOT NULL DEFAULT '',
        id uuid NOT NULL,
        agent_id uuid NOT NULL,
        status text NOT NULL DEFAULT 'started',
        origin text NOT NULL DEFAULT 'api',
        input text NOT NULL,
        instructions text NOT NULL DEFAULT '',
        model text NOT NULL DEFAULT '',
        session_id integer,
        job_id uuid,
        idempotency_key text,
        request_digest text,
        gateway_run_id text,
        gateway_cursor text,
        unreachable_since TIMESTAMP WITH TIME ZONE,
        output text,
        usage jsonb,
        error_code text NOT NULL DEFAULT '',
        error_detail text NOT NULL DEFAULT '',
        next_attempt_at TIMESTAMP WITH TIME ZONE DEFAULT now(),
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        finished_at TIMESTAMP WITH TIME ZONE,
        CONSTRAINT dedicated_agent_runs_origin_check CHECK (origin IN ('api', 'chat', 'job')),
        CONSTRAINT dedicated_agent_runs_status_check CHECK (status IN ('started', 'queued', 'running', 'waiting_for_approval', 'stopping', 'completed', 'failed', 'cancelled')),
        CONSTRAINT dedicated_agent_runs_pkey PRIMARY KEY (id)
      )`);
    await runner.query(
      `CREATE INDEX dedicated_agent_runs_due ON dedicated_agent_runs  (next_attempt_at) WHERE next_attempt_at IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX dedicated_agent_runs_finished_at ON dedicated_agent_runs  (finished_at) WHERE finished_at IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX dedicated_agent_runs_job_id ON dedicated_agent_runs  (job_id) WHERE job_id IS NOT NULL`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX dedicated_agent_runs_key ON dedicated_agent_runs  (agent_id, idempotency_key) WHERE idempotency_key IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX dedicated_agent_runs_live ON dedicated_agent_runs  (agent_id) WHERE status IN ('started', 'queued', 'running', 'waiting_for_approval', 'stopping')`,
    );
    await runner.query(`CREATE INDEX dedicated_agent_runs_agent_id ON dedicated_agent_runs  (agent_id, id) `);
    await runner.query(`CREATE TABLE dedicated_agent_events (
        run_id uuid NOT NULL,
        seq integer NOT NULL,
        event text NOT NULL,
        data jsonb NOT NULL DEFAULT '{}',
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT dedicated_agent_events_pkey PRIMARY KEY (run_id, seq)
      )`);
    await runner.query(
      `CREATE INDEX dedicated_agent_events_done ON dedicated_agent_events  (run_id, seq) WHERE event <> 'message.delta'`,
    );
    await runner.query(
      `ALTER TABLE dedicated_agents ADD CONSTRAINT dedicated_agents_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE dedicated_agent_runs ADD CONSTRAINT dedicated_agent_runs_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES dedicated_agents(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE dedicated_agent_events ADD CONSTRAINT dedicated_agent_events_run_id_fkey FOREIGN KEY (run_id) REFERENCES dedicated_agent_runs(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dedicated_agent_events DROP CONSTRAINT dedicated_agent_events_run_id_fkey`);
    await runner.query(`ALTER TABLE dedicated_agent_runs DROP CONSTRAINT dedicated_agent_runs_agent_id_fkey`);
    await runner.query(`ALTER TABLE dedicated_agents DROP CONSTRAINT dedicated_agents_user_id_fkey`);
    await runner.query(`DROP INDEX public.dedicated_agent_events_done`);
    await runner.query(`DROP TABLE dedicated_agent_events`);
    await runner.query(`DROP INDEX public.dedicated_agent_runs_agent_id`);
    await runner.query(`DROP INDEX public.dedicated_agent_runs_live`);
    await runner.query(`DROP INDEX public.dedicated_agent_runs_key`);
    await runner.query(`DROP INDEX public.dedicated_agent_runs_finished_at`);
    await runner.query(`DROP INDEX public.dedicated_agent_runs_job_id`);
    await runner.query(`DROP INDEX public.dedicated_agent_runs_due`);
    await runner.query(`DROP TABLE dedicated_agent_runs`);
    await runner.query(`DROP INDEX public.dedicated_agents_user_id_key`);
    await runner.query(`DROP TABLE dedicated_agents`);
  }
}
