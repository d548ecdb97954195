import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Results of tools that were too long to be shown. */
export class KeptResults1766000002300 implements MigrationInterface {
  name = 'KeptResults1766000002300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE agent_results (
        id uuid NOT NULL,
        turn_id uuid NOT NULL,
        handle text NOT NULL,
        tool text NOT NULL,
        characters integer NOT NULL,
        content_sealed bytea NOT NULL,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
        CONSTRAINT agent_results_pkey PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE INDEX agent_results_expires_at ON agent_results (expires_at)`);
    await runner.query(`CREATE INDEX agent_results_turn_handle ON agent_results (turn_id, handle)`);
    await runner.query(
      `ALTER TABLE agent_results ADD CONSTRAINT agent_results_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES chat_turns(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE agent_results');
  }
}
