import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Secrets of workflows. */
export class WorkflowSecrets1764000000600 implements MigrationInterface {
  name = 'WorkflowSecrets1764000000600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE workflow_secrets (
        id uuid CONSTRAINT workflow_secrets_pkey PRIMARY KEY,
        workflow_id uuid NOT NULL
          CONSTRAINT workflow_secrets_workflow_id_fkey REFERENCES workflows (id) ON DELETE CASCADE,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        value_sealed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT workflow_secrets_workflow_id_name_key UNIQUE (workflow_id, name)
      )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workflow_secrets');
  }
}
