import type { MigrationInterface, QueryRunner } from 'typeorm';
import { chartsRemoveLoose } from '../functions/charts-remove-loose.js';

/** Charts outlive their conversation while they stand on a board, and belong to workflows; what boards know of looks and of people. */
export class ChartsOnBoards1766000003700 implements MigrationInterface {
  name = 'ChartsOnBoards1766000003700';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    await runner.query(`ALTER TABLE charts ADD COLUMN IF NOT EXISTS workflow_id uuid,
        ADD COLUMN IF NOT EXISTS run_version integer, ADD COLUMN IF NOT EXISTS origin_key text`);
    await runner.query('ALTER TABLE boards ADD COLUMN IF NOT EXISTS looked_at TIMESTAMP WITH TIME ZONE');
    await runner.query(`ALTER TABLE board_tiles ADD COLUMN IF NOT EXISTS refreshed_at TIMESTAMP WITH TIME ZONE,
        ADD COLUMN IF NOT EXISTS added_by_id integer`);
    // What an attempt left behind that was cut off is invalid.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS charts_workflow_id');
    await runner.query('CREATE INDEX CONCURRENTLY charts_workflow_id ON charts (workflow_id)');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS charts_origin_key');
    await runner.query(
      `CREATE UNIQUE INDEX CONCURRENTLY charts_origin_key ON charts (owner_id, origin_key) WHERE origin_key IS NOT NULL`,
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS board_tiles_added_by_id');
    await runner.query('CREATE INDEX CONCURRENTLY board_tiles_added_by_id ON board_tiles (added_by_id)');
    await runner.query(chartsRemoveLoose);
    await runner.query(
      `CREATE OR REPLACE TRIGGER charts_loose_of_all AFTER UPDATE OF turn_id, workflow_id ON charts FOR EACH ROW
       WHEN (NEW.turn_id IS NULL AND NEW.workflow_id IS NULL) EXECUTE FUNCTION charts_remove_loose()`,
    );
    await runner.query(
      `CREATE OR REPLACE TRIGGER board_tiles_loose_chart AFTER DELETE OR UPDATE OF mgid ON board_tiles FOR EACH ROW
       WHEN (OLD.mgid IS NOT NULL) EXECUTE FUNCTION charts_remove_loose()`,
    );
    await runner.query(
      `ALTER TABLE charts DROP CONSTRAINT IF EXISTS charts_turn_id_fkey, ADD CONSTRAINT charts_turn_id_fkey
         FOREIGN KEY (turn_id) REFERENCES chat_turns(id) ON DELETE SET NULL ON UPDATE NO ACTION NOT VALID`,
    );
    await runner.query('ALTER TABLE charts VALIDATE CONSTRAINT charts_turn_id_fkey');
    await runner.query(
      `ALTER TABLE charts DROP CONSTRAINT IF EXISTS charts_workflow_id_fkey, ADD CONSTRAINT charts_workflow_id_fkey
         FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE SET NULL ON UPDATE NO ACTION NOT VALID`,
    );
    await runner.query('ALTER TABLE charts VALIDATE CONSTRAINT charts_workflow_id_fkey');
    await runner.query(
      `ALTER TABLE board_tiles DROP CONSTRAINT IF EXISTS board_tiles_added_by_id_fkey,
         ADD CONSTRAINT board_tiles_added_by_id_fkey
         FOREIGN KEY (added_by_id) REFERENCES users(id) ON DELETE SET NULL ON UPDATE NO ACTION NOT VALID`,
    );
    await runner.query('ALTER TABLE board_tiles VALIDATE CONSTRAINT board_tiles_added_by_id_fkey');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER charts_loose_of_all ON charts');
    await runner.query('DROP TRIGGER board_tiles_loose_chart ON board_tiles');
    await runner.query('DELETE FROM charts WHERE turn_id IS NULL AND workflow_id IS NOT NULL');
    await runner.query('ALTER TABLE board_tiles DROP COLUMN added_by_id, DROP COLUMN refreshed_at');
    await runner.query('ALTER TABLE boards DROP COLUMN looked_at');
    await runner.query(
      `ALTER TABLE charts DROP COLUMN workflow_id, DROP COLUMN run_version, DROP COLUMN origin_key,
         DROP CONSTRAINT charts_turn_id_fkey`,
    );
    await runner.query(
      `ALTER TABLE charts ADD CONSTRAINT charts_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES chat_turns(id)
         ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query('DROP FUNCTION charts_remove_loose()');
  }
}
