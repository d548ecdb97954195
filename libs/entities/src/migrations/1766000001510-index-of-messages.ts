import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages that are to be sent, by the index that all background work has. */
export class IndexOfMessages1766000001510 implements MigrationInterface {
  name = 'IndexOfMessages1766000001510';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    // What an attempt left behind that was cut off is invalid.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS outgoing_messages_next_attempt_at');
    await runner.query(
      `CREATE INDEX CONCURRENTLY outgoing_messages_next_attempt_at ON outgoing_messages (next_attempt_at)
         WHERE next_attempt_at IS NOT NULL`,
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS outgoing_messages_waiting');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX outgoing_messages_waiting ON outgoing_messages (next_attempt_at) WHERE state = 'waiting'`,
    );
    await runner.query('DROP INDEX outgoing_messages_next_attempt_at');
  }
}
