import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Memories that are found by meaning, and turns that say with which model they were begun. */
export class Memories1766000002400 implements MigrationInterface {
  name = 'Memories1766000002400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE chat_turns ADD COLUMN model_id integer');
    await runner.query(
      `ALTER TABLE agent_memories ADD COLUMN cues text NOT NULL DEFAULT '',
         ADD COLUMN stays_on_premises boolean NOT NULL DEFAULT false,
         ADD COLUMN vector bytea, ADD COLUMN signs bit varying, ADD COLUMN vector_of text`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE agent_memories DROP COLUMN cues, DROP COLUMN stays_on_premises, DROP COLUMN vector, DROP COLUMN signs, DROP COLUMN vector_of',
    );
    await runner.query('ALTER TABLE chat_turns DROP COLUMN model_id');
  }
}
