import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whoever indexes a document logs it under the request that asked for it, whatever led to it. */
export class RequestsOfDocuments1766000003900 implements MigrationInterface {
  name = 'RequestsOfDocuments1766000003900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE documents ADD COLUMN IF NOT EXISTS correlation_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE documents DROP COLUMN correlation_id');
  }
}
