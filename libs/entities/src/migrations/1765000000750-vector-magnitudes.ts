import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A second bit for each component of a vector, and whose it is, so that searches read fewer vectors and fewer documents.
 * Both are filled by the next migration. Releases that know neither go on writing: their rows get their owner here.
 */
export class VectorMagnitudes1765000000750 implements MigrationInterface {
  name = 'VectorMagnitudes1765000000750';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE chunk_sign_bits ADD owner_id integer, ADD magnitudes bit varying');
    // While one core goes through it, another looks for words, and more people search than there are cores.
    await runner.query('ALTER TABLE chunk_sign_bits SET (parallel_workers = 0)');
    await runner.query(`
      CREATE FUNCTION chunk_sign_bits_find_owner() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        SELECT owner_id INTO NEW.owner_id FROM document_indexes WHERE id = NEW.index_id;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER chunk_sign_bits_find_owner BEFORE INSERT ON chunk_sign_bits
        FOR EACH ROW WHEN (NEW.owner_id IS NULL) EXECUTE FUNCTION chunk_sign_bits_find_owner()`);
    // What a scope holds is read from the index alone.
    await runner.query(`
      CREATE INDEX document_indexes_owner ON document_indexes (owner_id)
        INCLUDE (id, document_uid, generation, chunk_count, term_count, embedding_model)`);
    // True, and said to be dear, so that a condition beside it is looked up in its index instead of row by row.
    await runner.query(`
      CREATE FUNCTION names_by_index(name text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000
        AS $$ BEGIN RETURN true; END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION names_by_index');
    await runner.query('DROP INDEX document_indexes_owner');
    await runner.query('DROP TRIGGER chunk_sign_bits_find_owner ON chunk_sign_bits');
    await runner.query('DROP FUNCTION chunk_sign_bits_find_owner');
    await runner.query('ALTER TABLE chunk_sign_bits RESET (parallel_workers)');
    await runner.query('ALTER TABLE chunk_sign_bits DROP owner_id, DROP magnitudes');
  }
}
