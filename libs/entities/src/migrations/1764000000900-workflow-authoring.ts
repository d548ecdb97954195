import type { MigrationInterface, QueryRunner } from 'typeorm';

export class WorkflowAuthoring1764000000900 implements MigrationInterface {
  name = 'WorkflowAuthoring1764000000900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workflow_authoring_turns (
        id uuid CONSTRAINT workflow_authoring_turns_pkey PRIMARY KEY,
        user_id integer NOT NULL,
        workflow_id uuid,
        conversation_id text,
        prompt text NOT NULL,
        status text NOT NULL DEFAULT 'running',
        result jsonb,
        last_seq integer NOT NULL DEFAULT 0,
        heartbeat_at timestamptz NOT NULL DEFAULT now(),
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT workflow_authoring_turns_status_check CHECK (status IN ('running', 'completed', 'clarification', 'failed')),
        CONSTRAINT workflow_authoring_turns_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await runner.query(
      'CREATE INDEX workflow_authoring_turns_user_created ON workflow_authoring_turns (user_id, created_at DESC)',
    );
    await runner.query('CREATE INDEX workflow_authoring_turns_created ON workflow_authoring_turns (created_at)');
    await runner.query(`
      CREATE TABLE workflow_authoring_events (
        turn_id uuid NOT NULL,
        seq integer NOT NULL,
        event text NOT NULL,
        data jsonb NOT NULL,
        CONSTRAINT workflow_authoring_events_pkey PRIMARY KEY (turn_id, seq),
        CONSTRAINT workflow_authoring_events_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES workflow_authoring_turns (id) ON DELETE CASCADE
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workflow_authoring_events');
    await runner.query('DROP TABLE workflow_authoring_turns');
  }
}
