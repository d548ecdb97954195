import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What users have allowed their agents beforehand. */
export class AgentApprovals1765000000800 implements MigrationInterface {
  name = 'AgentApprovals1765000000800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE agent_approvals (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT agent_approvals_pkey PRIMARY KEY,
        user_id integer NOT NULL CONSTRAINT agent_approvals_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
        key text NOT NULL,
        conversation_id text NOT NULL DEFAULT '',
        summary text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE UNIQUE INDEX agent_approvals_once ON agent_approvals (user_id, key, conversation_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE agent_approvals');
  }
}
