import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which languages the words of a generation were stemmed by, and its words as they are written, by which a search
 * finds what was meant when nothing has a word of the question. What was indexed before is English and has no words
 * until it is indexed anew; it is found as before.
 */
export class IndexWords1766000000500 implements MigrationInterface {
  name = 'IndexWords1766000000500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE document_indexes ADD languages text[] NOT NULL DEFAULT '{}'`);
    // What a scope holds is read from the index alone.
    await runner.query('DROP INDEX document_indexes_owner');
    await runner.query(`
      CREATE INDEX document_indexes_owner ON document_indexes (owner_id)
        INCLUDE (id, document_uid, generation, chunk_count, term_count, embedding_model, languages)`);
    await runner.query(`
      CREATE TABLE index_words (
        index_id bigint NOT NULL CONSTRAINT index_words_index_id_fkey REFERENCES document_indexes (id) ON DELETE CASCADE,
        part integer NOT NULL,
        owner_id integer NOT NULL,
        words text NOT NULL,
        CONSTRAINT index_words_pkey PRIMARY KEY (index_id, part))`);
    await runner.query('CREATE INDEX index_words_words ON index_words USING gin (owner_id, words gin_trgm_ops)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE index_words');
    await runner.query('DROP INDEX document_indexes_owner');
    await runner.query(`
      CREATE INDEX document_indexes_owner ON document_indexes (owner_id)
        INCLUDE (id, document_uid, generation, chunk_count, term_count, embedding_model)`);
    await runner.query('ALTER TABLE document_indexes DROP languages');
  }
}
