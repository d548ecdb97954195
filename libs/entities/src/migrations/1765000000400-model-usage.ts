import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What language models are used for: a row for each request to an endpoint. */
export class ModelUsage1765000000400 implements MigrationInterface {
  name = 'ModelUsage1765000000400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE model_usage (
        id uuid CONSTRAINT model_usage_pkey PRIMARY KEY,
        user_id integer,
        purpose text NOT NULL,
        turn_id uuid,
        workflow_id uuid,
        run_id uuid,
        model_id integer NOT NULL,
        model text NOT NULL,
        prompt_tokens bigint NOT NULL,
        completion_tokens bigint NOT NULL,
        cached_tokens bigint NOT NULL DEFAULT 0,
        cost numeric(20, 10),
        currency text NOT NULL,
        duration_ms integer NOT NULL,
        outcome text NOT NULL,
        error_code text,
        is_estimate boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL,
        CONSTRAINT model_usage_outcome_check CHECK (outcome IN ('completed', 'failed', 'aborted', 'timeout')),
        CONSTRAINT model_usage_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await runner.query('CREATE INDEX model_usage_user_created ON model_usage (user_id, created_at)');
    await runner.query('CREATE INDEX model_usage_created ON model_usage (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE model_usage');
  }
}
