import type { MigrationInterface, QueryRunner } from 'typeorm';
import { changeTypeWhereSmall } from './change-type-where-small.js';

/** What people wrote as JSON, by table: definitions, payloads and outputs. */
const COLUMNS = [
  ['workflow_revisions', 'json_spec'],
  ['workflow_requests', 'payload'],
  ['workflow_runs', 'payload'],
  ['workflow_schedules', 'payload'],
  ['workflow_run_nodes', 'output'],
  ['workflow_run_items', 'output'],
  ['workflow_outputs', 'value'],
] as const;

/**
 * `jsonb` forgets in which order the members of an object came, by which columns of a table are written, for one. Functions
 * of the release before, which take `jsonb`, stay for its apps: what they write is cast.
 */
export class OrderOfMembers1766000005700 implements MigrationInterface {
  name = 'OrderOfMembers1766000005700';

  async up(runner: QueryRunner): Promise<void> {
    await change(runner, 'json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await change(runner, 'jsonb');
  }
}

async function change(runner: QueryRunner, type: 'json' | 'jsonb'): Promise<void> {
  await runner.query('DROP TRIGGER workflow_run_nodes_adopt_output ON workflow_run_nodes');
  for (const [table, column] of COLUMNS) await changeTypeWhereSmall(runner, table, column, type);
  // Of both types.
  await runner.query(`CREATE TRIGGER workflow_run_nodes_adopt_output AFTER INSERT OR UPDATE OF output ON workflow_run_nodes
    FOR EACH ROW WHEN (NEW.output -> '$stored' IS NOT NULL) EXECUTE FUNCTION workflow_adopt_output()`);
}
