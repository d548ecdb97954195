import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passages know their document's title, date and headings; those of before know nothing until they are indexed anew. */
export class PassageContexts1766000000300 implements MigrationInterface {
  name = 'PassageContexts1766000000300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE chunk_contents ADD COLUMN context text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE chunk_contents DROP COLUMN context');
  }
}
