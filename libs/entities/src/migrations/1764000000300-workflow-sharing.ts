import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Received copies of workflows, apps that follow the workflow they come from, and offers to hand a workflow over. */
export class WorkflowSharing1764000000300 implements MigrationInterface {
  name = 'WorkflowSharing1764000000300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workflows
        ADD sharer_id integer,
        ADD copied_from_id uuid,
        ADD app_of_id uuid,
        ADD app_state text,
        ADD app_revision integer,
        ADD CONSTRAINT workflows_sharer_id_fkey FOREIGN KEY (sharer_id) REFERENCES users (id) ON DELETE SET NULL,
        ADD CONSTRAINT workflows_copied_from_id_fkey FOREIGN KEY (copied_from_id) REFERENCES workflows (id) ON DELETE SET NULL,
        ADD CONSTRAINT workflows_app_of_id_fkey FOREIGN KEY (app_of_id) REFERENCES workflows (id) ON DELETE CASCADE,
        ADD CONSTRAINT workflows_app_state_check CHECK (app_state IN ('shared', 'source_trashed', 'withdrawn')),
        ADD CONSTRAINT workflows_app_check CHECK ((app_of_id IS NULL) = (app_state IS NULL)
          AND (app_of_id IS NULL) = (app_revision IS NULL) AND (app_of_id IS NULL OR copied_from_id IS NULL))`);
    await runner.query(
      'CREATE UNIQUE INDEX workflows_app_key ON workflows (app_of_id, owner_id) WHERE app_of_id IS NOT NULL',
    );
    await runner.query(
      'CREATE UNIQUE INDEX workflows_copy_key ON workflows (copied_from_id, owner_id) WHERE copied_from_id IS NOT NULL',
    );
    await runner.query('CREATE INDEX workflows_sharer_id ON workflows (sharer_id) WHERE sharer_id IS NOT NULL');
    await runner.query(`
      CREATE TABLE workflow_transfers (
        id uuid CONSTRAINT workflow_transfers_pkey PRIMARY KEY,
        workflow_id uuid NOT NULL,
        from_user_id integer NOT NULL,
        to_user_id integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT workflow_transfers_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows (id) ON DELETE CASCADE,
        CONSTRAINT workflow_transfers_from_user_id_fkey FOREIGN KEY (from_user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT workflow_transfers_to_user_id_fkey FOREIGN KEY (to_user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await runner.query('CREATE UNIQUE INDEX workflow_transfers_workflow_key ON workflow_transfers (workflow_id)');
    await runner.query('CREATE INDEX workflow_transfers_from_user_id ON workflow_transfers (from_user_id)');
    await runner.query('CREATE INDEX workflow_transfers_to_user_id ON workflow_transfers (to_user_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workflow_transfers');
    // Without what makes them apps they would be workflows that their receivers could read and change.
    await runner.query('DELETE FROM workflows WHERE app_of_id IS NOT NULL');
    await runner.query(
      'ALTER TABLE workflows DROP sharer_id, DROP copied_from_id, DROP app_of_id, DROP app_state, DROP app_revision',
    );
  }
}
