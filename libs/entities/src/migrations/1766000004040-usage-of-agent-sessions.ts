import type { MigrationInterface, QueryRunner } from 'typeorm';

export class UsageOfAgentSessions1766000004040 implements MigrationInterface {
  name = 'UsageOfAgentSessions1766000004040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE dedicated_agent_session_usage (
        session_id integer NOT NULL,
        agent_id uuid NOT NULL,
        counted jsonb NOT NULL DEFAULT '{}',
        counted_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT dedicated_agent_session_usage_pkey PRIMARY KEY (session_id)
      )`);
    await runner.query(
      `CREATE INDEX dedicated_agent_session_usage_agent_id ON dedicated_agent_session_usage  (agent_id) `,
    );
    await runner.query(
      `ALTER TABLE dedicated_agent_session_usage ADD CONSTRAINT dedicated_agent_session_usage_session_id_fkey FOREIGN KEY (session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE dedicated_agent_session_usage ADD CONSTRAINT dedicated_agent_session_usage_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES dedicated_agents(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE dedicated_agent_session_usage DROP CONSTRAINT dedicated_agent_session_usage_agent_id_fkey`,
    );
    await runner.query(
      `ALTER TABLE dedicated_agent_session_usage DROP CONSTRAINT dedicated_agent_session_usage_session_id_fkey`,
    );
    await runner.query(`DROP INDEX public.dedicated_agent_session_usage_agent_id`);
    await runner.query(`DROP TABLE dedicated_agent_session_usage`);
  }
}
