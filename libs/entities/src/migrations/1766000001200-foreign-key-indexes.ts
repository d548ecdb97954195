import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Without these, the deletion of one account reads every run, revision and workflow of the platform. */
const INDEXES: [name: string, on: string][] = [
  ['agent_memories_user_id', 'agent_memories (user_id)'],
  ['mcp_oauth_flows_registration_id', 'mcp_oauth_flows (registration_id)'],
  ['socket_tickets_session_id', 'socket_tickets (session_id)'],
  ['upload_batches_owner_id', 'upload_batches (owner_id)'],
  ['workflow_revisions_created_by_id', 'workflow_revisions (created_by_id) WHERE created_by_id IS NOT NULL'],
  ['workflow_runs_triggered_by_id', 'workflow_runs (triggered_by_id) WHERE triggered_by_id IS NOT NULL'],
  ['workflows_last_edited_by_id', 'workflows (last_edited_by_id) WHERE last_edited_by_id IS NOT NULL'],
  // What the removal of expired sessions looks for.
  ['sessions_revoked_at', 'sessions (revoked_at) WHERE revoked_at IS NOT NULL'],
  ['refresh_tokens_sealed', 'refresh_tokens (replaced_at) WHERE successor_sealed IS NOT NULL'],
];

/** Every foreign key has an index; those that had none are made while the platform goes on writing. */
export class ForeignKeyIndexes1766000001200 implements MigrationInterface {
  name = 'ForeignKeyIndexes1766000001200';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET statement_timeout = 0');
    try {
      for (const [name, on] of INDEXES) {
        // What an attempt left behind that was cut off is invalid.
        await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
        await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
      }
    } finally {
      await runner.query('RESET statement_timeout');
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name] of INDEXES.toReversed()) await runner.query(`DROP INDEX ${name}`);
  }
}
