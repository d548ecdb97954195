import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Turns by their end: the logs of those that ended lately are compacted. */
export class EndedTurns1766000002100 implements MigrationInterface {
  name = 'EndedTurns1766000002100';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    // What an attempt left behind that was cut off is invalid.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS chat_turns_finished_at');
    await runner.query('CREATE INDEX CONCURRENTLY chat_turns_finished_at ON chat_turns (finished_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX chat_turns_finished_at');
  }
}
