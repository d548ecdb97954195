import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AgentBudget1766000004030 implements MigrationInterface {
  name = 'AgentBudget1766000004030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE dedicated_agent_spending (
        agent_id uuid NOT NULL,
        key text NOT NULL,
        scope text NOT NULL,
        spent_cost numeric(20,10) NOT NULL DEFAULT '0',
        spent_tokens bigint NOT NULL DEFAULT '0',
        reserved_cost numeric(20,10) NOT NULL DEFAULT '0',
        reserved_tokens bigint NOT NULL DEFAULT '0',
        calls integer NOT NULL DEFAULT '0',
        unpriced_calls integer NOT NULL DEFAULT '0',
        refused_cost numeric(20,10),
        refused_tokens bigint,
        told text array NOT NULL DEFAULT '{}',
        owner_told boolean NOT NULL DEFAULT false,
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT dedicated_agent_spending_scope_check CHECK (scope IN ('run', 'job', 'day', 'month')),
        CONSTRAINT dedicated_agent_spending_pkey PRIMARY KEY (agent_id, key)
      )`);
    await runner.query(`CREATE INDEX dedicated_agent_spending_updated_at ON dedicated_agent_spending  (updated_at) `);
    await runner.query(`CREATE TABLE dedicated_agent_reservations (
        id uuid NOT NULL,
        agent_id uuid NOT NULL,
        keys text array NOT NULL,
        cost numeric(20,10) NOT NULL,
        tokens bigint NOT NULL,
        is_priced boolean NOT NULL,
        expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
        CONSTRAINT dedicated_agent_reservations_pkey PRIMARY KEY (id)
      )`);
    await runner.query(
      `CREATE INDEX dedicated_agent_reservations_expires_at ON dedicated_agent_reservations  (expires_at) `,
    );
    await runner.query(
      `CREATE INDEX dedicated_agent_reservations_agent_id ON dedicated_agent_reservations  (agent_id) `,
    );
    await runner.query(`ALTER TABLE dedicated_agents ADD operator_caps jsonb NOT NULL DEFAULT '{}'`);
    await runner.query(`ALTER TABLE dedicated_agents ADD owner_caps jsonb NOT NULL DEFAULT '{}'`);
    await runner.query(`ALTER TABLE dedicated_agent_jobs ADD budget jsonb`);
    await runner.query(
      `ALTER TABLE dedicated_agent_spending ADD CONSTRAINT dedicated_agent_spending_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES dedicated_agents(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE dedicated_agent_reservations ADD CONSTRAINT dedicated_agent_reservations_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES dedicated_agents(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE dedicated_agent_reservations DROP CONSTRAINT dedicated_agent_reservations_agent_id_fkey`,
    );
    await runner.query(`ALTER TABLE dedicated_agent_spending DROP CONSTRAINT dedicated_agent_spending_agent_id_fkey`);
    await runner.query(`ALTER TABLE dedicated_agent_jobs DROP COLUMN budget`);
    await runner.query(`ALTER TABLE dedicated_agents DROP COLUMN owner_caps`);
    await runner.query(`ALTER TABLE dedicated_agents DROP COLUMN operator_caps`);
    await runner.query(`DROP INDEX public.dedicated_agent_reservations_agent_id`);
    await runner.query(`DROP INDEX public.dedicated_agent_reservations_expires_at`);
    await runner.query(`DROP TABLE dedicated_agent_reservations`);
    await runner.query(`DROP INDEX public.dedicated_agent_spending_updated_at`);
    await runner.query(`DROP TABLE dedicated_agent_spending`);
  }
}
