import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages in pages and by what was said in them. */
export class ChatSearch1765000000600 implements MigrationInterface {
  name = 'ChatSearch1765000000600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX chat_turns_session_seq ON chat_turns (session_id, seq)');
    // What only the client can read has no words.
    await runner.query(`CREATE INDEX chat_turns_words ON chat_turns
      USING gin (question gin_trgm_ops, answer gin_trgm_ops) WHERE question !~ '^enc:v1:'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX chat_turns_words, chat_turns_session_seq');
  }
}
