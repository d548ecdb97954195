import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The items of batch and loop nodes; and an answer that is sent again is found by its sender's id for it. */
export class RunItems1764000000400 implements MigrationInterface {
  name = 'RunItems1764000000400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workflow_run_items (
        run_id uuid NOT NULL,
        node_id text NOT NULL,
        item_index integer NOT NULL,
        status text NOT NULL,
        round integer NOT NULL DEFAULT 0,
        output jsonb,
        error jsonb,
        CONSTRAINT workflow_run_items_pkey PRIMARY KEY (run_id, node_id, item_index),
        CONSTRAINT workflow_run_items_run_id_fkey FOREIGN KEY (run_id) REFERENCES workflow_runs (id) ON DELETE CASCADE,
        CONSTRAINT workflow_run_items_status_check CHECK (status IN ('STARTED','COMPLETED','FAILED','LOST'))
      )`);
    await runner.query(`
      CREATE INDEX workflow_signals_client_message ON workflow_signals (answered_by_id, (value->>'clientMessageId'))
      WHERE answered_by_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX workflow_signals_client_message');
    await runner.query('DROP TABLE workflow_run_items');
  }
}
