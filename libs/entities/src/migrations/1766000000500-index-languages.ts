import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which languages the words of a generation were stemmed by. What was indexed before is English; it is found as before.
 */
export class IndexLanguages1766000000500 implements MigrationInterface {
  name = 'IndexLanguages1766000000500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE document_indexes ADD languages text[] NOT NULL DEFAULT '{}'`);
    // What a scope holds is read from the index alone.
    await runner.query('DROP INDEX document_indexes_owner');
    await runner.query(`
      CREATE INDEX document_indexes_owner ON document_indexes (owner_id)
        INCLUDE (id, document_uid, generation, chunk_count, term_count, embedding_model, languages)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX document_indexes_owner');
    await runner.query(`
      CREATE INDEX document_indexes_owner ON document_indexes (owner_id)
        INCLUDE (id, document_uid, generation, chunk_count, term_count, embedding_model)`);
    await runner.query('ALTER TABLE document_indexes DROP languages');
  }
}
