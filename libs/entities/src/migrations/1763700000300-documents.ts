import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Documents1763700000300 implements MigrationInterface {
  name = 'Documents1763700000300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE documents (
        uid uuid CONSTRAINT documents_pkey PRIMARY KEY,
        owner_id integer NOT NULL CONSTRAINT documents_owner_id_fkey REFERENCES users (id),
        folder text NOT NULL DEFAULT '',
        filename text NOT NULL,
        path text NOT NULL,
        kind text NOT NULL,
        mime_type text NOT NULL,
        size_bytes bigint NOT NULL,
        sha256 text NOT NULL,
        storage_key text NOT NULL,
        processing_state text NOT NULL,
        status text NOT NULL DEFAULT '',
        last_error text NOT NULL DEFAULT '',
        page_number integer NOT NULL DEFAULT 0,
        labels integer NOT NULL DEFAULT 0,
        doc_class text NOT NULL DEFAULT '',
        ocr boolean NOT NULL DEFAULT false,
        train_after_upload boolean NOT NULL DEFAULT true,
        from_dms boolean NOT NULL DEFAULT false,
        external_drive_item_id text,
        enqueue_attempt_count integer NOT NULL DEFAULT 0,
        attempt integer NOT NULL DEFAULT 0,
        failed_tries integer NOT NULL DEFAULT 0,
        fence integer NOT NULL DEFAULT 0,
        leased_by text,
        lease_expires_at timestamptz,
        rung_at timestamptz,
        index_generation integer,
        queued_at timestamptz,
        processing_started_at timestamptz,
        completed_at timestamptz,
        deleted_at timestamptz,
        purge_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT documents_processing_state_check CHECK (processing_state IN ('stored', 'pending_publish', 'queued',
          'processing', 'completed', 'failed', 'publish_failed', 'untrained')),
        CONSTRAINT documents_lease_check CHECK ((processing_state = 'processing') = (lease_expires_at IS NOT NULL)),
        CONSTRAINT documents_trash_check CHECK ((deleted_at IS NULL) = (purge_at IS NULL))
      )`);
    await runner.query(
      'CREATE INDEX documents_owner_created ON documents (owner_id, created_at DESC) WHERE deleted_at IS NULL',
    );
    await runner.query('CREATE INDEX documents_owner_folder ON documents (owner_id, folder) WHERE deleted_at IS NULL');
    // The sweepers' view: some rows out of millions.
    await runner.query(`
      CREATE INDEX documents_unfinished ON documents (processing_state, rung_at)
      WHERE deleted_at IS NULL AND processing_state IN ('stored', 'pending_publish', 'queued', 'processing', 'publish_failed')`);
    await runner.query('CREATE INDEX documents_purge_at ON documents (purge_at) WHERE purge_at IS NOT NULL');
    await runner.query(`
      CREATE INDEX documents_external_drive_item ON documents (external_drive_item_id)
      WHERE external_drive_item_id IS NOT NULL AND deleted_at IS NULL`);

    await runner.query(`
      CREATE TABLE document_shares (
        document_uid uuid NOT NULL CONSTRAINT document_shares_document_uid_fkey REFERENCES documents (uid) ON DELETE CASCADE,
        user_id integer NOT NULL CONSTRAINT document_shares_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT document_shares_pkey PRIMARY KEY (document_uid, user_id)
      )`);
    await runner.query('CREATE INDEX document_shares_user_id ON document_shares (user_id)');

    await runner.query(`
      CREATE TABLE upload_batches (
        batch_id uuid CONSTRAINT upload_batches_pkey PRIMARY KEY,
        owner_id integer NOT NULL CONSTRAINT upload_batches_owner_id_fkey REFERENCES users (id) ON DELETE CASCADE,
        source_type text NOT NULL DEFAULT 'direct',
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE upload_batch_items (
        batch_id uuid NOT NULL CONSTRAINT upload_batch_items_batch_id_fkey REFERENCES upload_batches (batch_id) ON DELETE CASCADE,
        position integer NOT NULL,
        filename text NOT NULL,
        document_uid uuid CONSTRAINT upload_batch_items_document_uid_fkey REFERENCES documents (uid) ON DELETE SET NULL,
        refusal text NOT NULL DEFAULT '',
        CONSTRAINT upload_batch_items_pkey PRIMARY KEY (batch_id, position)
      )`);
    await runner.query('CREATE INDEX upload_batch_items_document_uid ON upload_batch_items (document_uid)');

    await runner.query(`
      CREATE TABLE loose_files (
        storage_key text CONSTRAINT loose_files_pkey PRIMARY KEY,
        removable_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX loose_files_removable_at ON loose_files (removable_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE loose_files, upload_batch_items, upload_batches, document_shares, documents');
  }
}
