import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests for access, and tags of documents. */
export class Sharing1763900000400 implements MigrationInterface {
  name = 'Sharing1763900000400';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE access_requests');
    await runner.query('ALTER TABLE documents DROP COLUMN tags');
  }
}

const statements = [
  `ALTER TABLE documents ADD COLUMN tags text[] NOT NULL DEFAULT '{}'`,
  `CREATE TABLE access_requests (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT access_requests_pkey PRIMARY KEY,
    document_uid uuid NOT NULL
      CONSTRAINT access_requests_document_uid_fkey REFERENCES documents (uid) ON DELETE CASCADE,
    user_id integer NOT NULL CONSTRAINT access_requests_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    status text NOT NULL DEFAULT 'pending',
    reason text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT access_requests_status_check CHECK (status IN ('pending', 'approved', 'denied', 'revoked'))
  )`,
  `CREATE UNIQUE INDEX access_requests_open_key ON access_requests (document_uid, user_id)
   WHERE status IN ('pending', 'approved')`,
  'CREATE INDEX access_requests_document_uid ON access_requests (document_uid)',
  'CREATE INDEX access_requests_user_id ON access_requests (user_id)',
];
