import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Memories that no encoder has read yet. */
export class UnencodedMemories1766000002410 implements MigrationInterface {
  name = 'UnencodedMemories1766000002410';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    // What an attempt left behind that was cut off is invalid.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS agent_memories_unencoded');
    await runner.query(
      `CREATE INDEX CONCURRENTLY agent_memories_unencoded ON agent_memories (id)
       WHERE vector_of IS NULL AND superseded_by IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX agent_memories_unencoded');
  }
}
