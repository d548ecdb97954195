import type { MigrationInterface, QueryRunner } from 'typeorm';

const NEW: [name: string, on: string][] = [
  // What waits and runs, in order: with what came to an end long ago, this does not grow.
  ['workflow_requests_active', `workflow_requests (workflow_id, status, seq) WHERE status IN ('pending', 'running')`],
  // What ended last.
  [
    'workflow_requests_ended',
    `workflow_requests (workflow_id, finished_at DESC, seq DESC) WHERE status NOT IN ('pending', 'running')`,
  ],
  // Bodies of loops that may go, without the runs that other workflows started.
  ['workflow_runs_ended_bodies', `workflow_runs (finished_at) WHERE parent_key LIKE 'body:%' AND status = 'COMPLETED'`],
  ['document_shares_user_id_owner_id', 'document_shares (user_id, owner_id)'],
];
/** Those that a new one serves instead. */
const OLD: [name: string, on: string][] = [
  ['workflow_requests_pending', `workflow_requests (workflow_id, seq) WHERE status = 'pending'`],
  ['document_shares_user_id', 'document_shares (user_id)'],
];

/** Lists of webhook requests and the owners of shared documents by index. */
export class IndexesOfHistory1766000001420 implements MigrationInterface {
  name = 'IndexesOfHistory1766000001420';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    for (const [name, on] of NEW) {
      // What an attempt left behind that was cut off is invalid.
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
    }
    for (const [name] of OLD) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name, on] of OLD) await runner.query(`CREATE INDEX ${name} ON ${on}`);
    for (const [name] of NEW) await runner.query(`DROP INDEX ${name}`);
  }
}
