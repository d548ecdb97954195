import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What models wrote to the caches of their endpoints; a release before this one leaves it out. */
export class CacheWriteTokens1766000002800 implements MigrationInterface {
  readonly name = 'CacheWriteTokens1766000002800';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE model_usage ADD cache_write_tokens bigint NOT NULL DEFAULT 0`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE model_usage DROP COLUMN cache_write_tokens`);
  }
}
