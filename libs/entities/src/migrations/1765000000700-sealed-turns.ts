import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the turns whose text has to be forgotten. */
export class SealedTurns1765000000700 implements MigrationInterface {
  name = 'SealedTurns1765000000700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX chat_turns_sealed ON chat_turns (finished_at) WHERE request ? 'sealed'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX chat_turns_sealed');
  }
}
