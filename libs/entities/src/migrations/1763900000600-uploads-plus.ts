import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Small pictures of pages, what a user may store, and uploads that go on after a break. */
export class UploadsPlus1763900000600 implements MigrationInterface {
  name = 'UploadsPlus1763900000600';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX documents_owner_size');
    await runner.query('DROP TABLE resumable_uploads, storage_reservations, document_thumbnails');
  }
}

const statements = [
  `CREATE TABLE document_thumbnails (
    document_uid uuid NOT NULL
      CONSTRAINT document_thumbnails_document_uid_fkey REFERENCES documents (uid) ON DELETE CASCADE,
    page integer NOT NULL,
    width integer NOT NULL,
    state text NOT NULL DEFAULT 'waiting',
    tries integer NOT NULL DEFAULT 0,
    claim uuid,
    lease_expires_at timestamptz,
    storage_key text,
    size_bytes integer,
    sha256 text,
    rung_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT document_thumbnails_pkey PRIMARY KEY (document_uid, page, width),
    CONSTRAINT document_thumbnails_state_check CHECK (state IN ('waiting', 'ready', 'none')),
    CONSTRAINT document_thumbnails_file_check CHECK ((state = 'ready') = (storage_key IS NOT NULL))
  )`,
  `CREATE TABLE storage_reservations (
    id uuid CONSTRAINT storage_reservations_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT storage_reservations_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    bytes bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT storage_reservations_bytes_check CHECK (bytes >= 0)
  )`,
  'CREATE INDEX storage_reservations_user_id ON storage_reservations (user_id)',
  'CREATE INDEX storage_reservations_expires_at ON storage_reservations (expires_at)',
  // The sum over all that one stores, without a look at the rows.
  'CREATE INDEX documents_owner_size ON documents (owner_id) INCLUDE (size_bytes)',
  `CREATE TABLE resumable_uploads (
    id uuid CONSTRAINT resumable_uploads_pkey PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT resumable_uploads_owner_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    size_bytes bigint NOT NULL,
    metadata jsonb NOT NULL,
    state text NOT NULL DEFAULT 'receiving',
    document_uid uuid
      CONSTRAINT resumable_uploads_document_uid_fkey REFERENCES documents (uid) ON DELETE SET NULL,
    refusal jsonb,
    lock uuid,
    locked_until timestamptz,
    lock_wanted boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    CONSTRAINT resumable_uploads_state_check CHECK (state IN ('receiving', 'stored', 'refused'))
  )`,
  'CREATE INDEX resumable_uploads_owner_id ON resumable_uploads (owner_id)',
  'CREATE INDEX resumable_uploads_document_uid ON resumable_uploads (document_uid)',
  'CREATE INDEX resumable_uploads_expires_at ON resumable_uploads (expires_at)',
];
