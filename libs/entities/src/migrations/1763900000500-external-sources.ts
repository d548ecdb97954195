import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where documents are imported from, and what was found there. */
export class ExternalSources1763900000500 implements MigrationInterface {
  name = 'ExternalSources1763900000500';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE external_items, external_sources');
  }
}

const statements = [
  `CREATE TABLE external_sources (
    id uuid CONSTRAINT external_sources_pkey PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT external_sources_owner_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    type text NOT NULL,
    name text NOT NULL,
    config jsonb NOT NULL,
    secret_sealed bytea,
    folder text NOT NULL DEFAULT '',
    ocr boolean NOT NULL DEFAULT false,
    schedule_minutes integer,
    state text NOT NULL DEFAULT 'idle',
    last_error text NOT NULL DEFAULT '',
    last_synced_at timestamptz,
    next_sync_at timestamptz,
    cursor text,
    page_cursor text,
    run integer NOT NULL DEFAULT 0,
    is_full_run boolean NOT NULL DEFAULT true,
    batch_id uuid CONSTRAINT external_sources_batch_id_fkey REFERENCES upload_batches (batch_id) ON DELETE SET NULL,
    added integer NOT NULL DEFAULT 0,
    updated integer NOT NULL DEFAULT 0,
    removed integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    tries integer NOT NULL DEFAULT 0,
    fence integer NOT NULL DEFAULT 0,
    leased_by text,
    lease_expires_at timestamptz,
    resume_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT external_sources_type_check CHECK (type IN ('s3', 'folder', 'sql', 'sharepoint')),
    CONSTRAINT external_sources_state_check CHECK (state IN ('idle', 'syncing', 'ok', 'error')),
    CONSTRAINT external_sources_resume_check CHECK ((state = 'syncing') = (resume_at IS NOT NULL))
  )`,
  'CREATE INDEX external_sources_owner_id ON external_sources (owner_id)',
  'CREATE INDEX external_sources_batch_id ON external_sources (batch_id)',
  'CREATE INDEX external_sources_resume_at ON external_sources (resume_at) WHERE resume_at IS NOT NULL',
  'CREATE INDEX external_sources_next_sync_at ON external_sources (next_sync_at) WHERE next_sync_at IS NOT NULL',
  `CREATE TABLE external_items (
    source_id uuid NOT NULL CONSTRAINT external_items_source_id_fkey REFERENCES external_sources (id) ON DELETE CASCADE,
    item_id text NOT NULL,
    name text NOT NULL,
    path text NOT NULL DEFAULT '',
    etag text,
    size_bytes bigint,
    modified_at timestamptz,
    sha256 text,
    document_uid uuid CONSTRAINT external_items_document_uid_fkey REFERENCES documents (uid) ON DELETE SET NULL,
    state text NOT NULL,
    reason text NOT NULL DEFAULT '',
    seen_run integer NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT external_items_pkey PRIMARY KEY (source_id, item_id),
    CONSTRAINT external_items_state_check CHECK (state IN ('imported', 'failed', 'vanished'))
  )`,
  'CREATE INDEX external_items_document_uid ON external_items (document_uid)',
];
