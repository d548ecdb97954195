import { nameKey } from '@app/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is known about documents beyond their text, finding them by name, and permanent links. */
export class Insights1763900000100 implements MigrationInterface {
  name = 'Insights1763900000100';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
    await spellNames(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE permanent_links, document_summaries');
    await runner.query('DROP INDEX documents_name_trigrams');
    await runner.query('ALTER TABLE chat_turns DROP COLUMN seq');
    await runner.query('ALTER TABLE documents DROP COLUMN stage, DROP COLUMN percent, DROP COLUMN name_key');
  }
}

const statements = [
  `ALTER TABLE documents ADD COLUMN stage text NOT NULL DEFAULT '', ADD COLUMN percent integer NOT NULL DEFAULT 0,
   ADD COLUMN name_key text NOT NULL DEFAULT ''`,
  'ALTER TABLE chat_turns ADD COLUMN seq bigint GENERATED ALWAYS AS IDENTITY',
  'CREATE UNIQUE INDEX chat_turns_seq ON chat_turns (seq)',
  // Trusted extensions of Postgres itself: whoever may create tables may create them.
  'CREATE EXTENSION IF NOT EXISTS pg_trgm',
  'CREATE EXTENSION IF NOT EXISTS btree_gin',
  `CREATE INDEX documents_name_trigrams ON documents USING gin (owner_id, name_key gin_trgm_ops)
   WHERE deleted_at IS NULL`,
  `CREATE TABLE document_summaries (
    document_uid uuid CONSTRAINT document_summaries_pkey PRIMARY KEY
      CONSTRAINT document_summaries_document_uid_fkey REFERENCES documents (uid) ON DELETE CASCADE,
    status text NOT NULL,
    summary text NOT NULL DEFAULT '',
    language text NOT NULL DEFAULT '',
    model text NOT NULL DEFAULT '',
    questions jsonb NOT NULL DEFAULT '[]',
    error text NOT NULL DEFAULT '',
    wanted_language text,
    attempt integer NOT NULL DEFAULT 0,
    failed_tries integer NOT NULL DEFAULT 0,
    fence integer NOT NULL DEFAULT 0,
    lease_expires_at timestamptz,
    generated_at timestamptz,
    requested_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT document_summaries_status_check CHECK (status IN ('pending', 'ready', 'failed'))
  )`,
  `CREATE INDEX document_summaries_pending ON document_summaries (requested_at) WHERE status = 'pending'`,
  `CREATE TABLE permanent_links (
    uid uuid CONSTRAINT permanent_links_pkey PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT permanent_links_owner_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    media_path text NOT NULL,
    name text NOT NULL,
    artifact_uid uuid,
    token_hash bytea NOT NULL,
    token_sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_accessed_at timestamptz,
    access_count integer NOT NULL DEFAULT 0
  )`,
  'CREATE UNIQUE INDEX permanent_links_token_hash_key ON permanent_links (token_hash)',
  'CREATE UNIQUE INDEX permanent_links_owner_media_path_key ON permanent_links (owner_id, media_path)',
];

const BATCH = 1000;

/** Of the documents that were there before names were found by likeness. */
async function spellNames(runner: QueryRunner): Promise<void> {
  for (let last = '00000000-0000-0000-0000-000000000000'; ;) {
    const rows = (await runner.query('SELECT uid, filename FROM documents WHERE uid > $1 ORDER BY uid LIMIT $2', [
      last,
      BATCH,
    ])) as { uid: string; filename: string }[];
    if (rows.length === 0) return;
    await runner.query(
      `UPDATE documents d SET name_key = row.key FROM unnest($1::uuid[], $2::text[]) AS row (uid, key) WHERE d.uid = row.uid`,
      [rows.map(({ uid }) => uid), rows.map(({ filename }) => nameKey(filename))],
    );
    last = rows.at(-1)!.uid;
  }
}
