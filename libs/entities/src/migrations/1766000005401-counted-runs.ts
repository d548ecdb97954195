import type { MigrationInterface, QueryRunner } from 'typeorm';
import { countWorkflowRuns } from '../functions/count-workflow-runs.js';

/**
 * Completed runs are counted when they complete, by a trigger unless the statement counts its own. No run can end between the trigger and the count of those that have
 * ended this month: making a trigger holds writers of the table back until the transaction ends.
 */
export class CountedRuns1766000005401 implements MigrationInterface {
  name = 'CountedRuns1766000005401';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(countWorkflowRuns);
    await runner.query(
      `CREATE TRIGGER workflow_runs_counted AFTER UPDATE OF status ON workflow_runs FOR EACH ROW
       WHEN (NEW.status = 'COMPLETED' AND OLD.status <> 'COMPLETED' AND NEW.parent_run_id IS NULL
         AND current_setting('atrium.runs_counted', true) IS DISTINCT FROM 'yes')
       EXECUTE FUNCTION count_workflow_runs()`,
    );
    await runner.query(
      `INSERT INTO kept_total_changes (kind, key, part, change)
       SELECT 'workflow_runs', counted.key, ended.month || counted.of, sum(ended.runs)
       FROM (SELECT workflow_id, to_char(finished_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, count(*) AS runs
             FROM workflow_runs WHERE status = 'COMPLETED' AND parent_run_id IS NULL
               AND finished_at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
             GROUP BY 1, 2) ended
         JOIN workflows w ON w.id = ended.workflow_id JOIN users u ON u.id = w.owner_id
         LEFT JOIN organizations o ON o.id = u.organization_id AND NOT o.personal
         CROSS JOIN LATERAL (VALUES ('u' || u.id, coalesce('/o' || o.id, '')), ('o' || o.id, '')) AS counted (key, of)
       WHERE counted.key IS NOT NULL GROUP BY 2, 3`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER workflow_runs_counted ON workflow_runs');
    await runner.query('DROP FUNCTION count_workflow_runs');
    for (const table of ['kept_total_changes', 'kept_totals'])
      await runner.query(`DELETE FROM ${table} WHERE kind = 'workflow_runs'`);
  }
}
