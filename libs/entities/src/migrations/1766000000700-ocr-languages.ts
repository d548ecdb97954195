import type { MigrationInterface, QueryRunner } from 'typeorm';

/** In which languages the pictures of a document are read; empty where its owner did not say. */
export class OcrLanguages1766000000700 implements MigrationInterface {
  name = 'OcrLanguages1766000000700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE documents ADD ocr_languages text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE documents DROP ocr_languages');
  }
}
