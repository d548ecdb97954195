import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose turn it is in the queue of the indexers, and which pipeline made an index. */
export class FairIndexing1766000000600 implements MigrationInterface {
  name = 'FairIndexing1766000000600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE documents
        ADD queue_class smallint NOT NULL DEFAULT 0,
        ADD not_before timestamptz,
        ADD reindexed_for integer`);
    await runner.query(`
      CREATE INDEX documents_queue ON documents (queue_class, owner_id, queued_at, uid)
        WHERE processing_state = 'queued' AND deleted_at IS NULL`);
    await runner.query(`
      CREATE INDEX documents_owner_started ON documents (owner_id, processing_started_at)
        WHERE processing_started_at IS NOT NULL`);
    await runner.query(`
      ALTER TABLE document_indexes
        ADD pipeline_version integer,
        ADD page_count integer,
        ADD content_sha256 text`);
    await runner.query(`
      UPDATE document_indexes i SET pipeline_version = 1, page_count = d.page_number, content_sha256 = d.sha256
      FROM documents d WHERE d.uid = i.document_uid AND d.index_generation = i.generation
        AND d.processing_state = 'completed'`);
    await runner.query('UPDATE document_indexes SET pipeline_version = 1 WHERE pipeline_version IS NULL');
    await runner.query('CREATE INDEX document_indexes_pipeline_version ON document_indexes (pipeline_version, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX document_indexes_pipeline_version');
    await runner.query('ALTER TABLE document_indexes DROP pipeline_version, DROP page_count, DROP content_sha256');
    await runner.query('DROP INDEX documents_owner_started');
    await runner.query('DROP INDEX documents_queue');
    await runner.query('ALTER TABLE documents DROP queue_class, DROP not_before, DROP reindexed_for');
  }
}
