import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A memory knows whose words were read in the conversation that it comes from; older ones take over what is known of it. */
export class HeardMemories1766000001180 implements MigrationInterface {
  name = 'HeardMemories1766000001180';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE agent_memories ADD COLUMN heard jsonb NOT NULL DEFAULT '{}'`);
    await runner.query(
      `UPDATE agent_memories m SET heard = s.heard FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
       WHERE t.id = m.source_turn_id AND s.heard <> '{}'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE agent_memories DROP COLUMN heard');
  }
}
