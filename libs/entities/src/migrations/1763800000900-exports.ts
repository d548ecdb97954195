import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Copies of an account's data. */
export class Exports1763800000900 implements MigrationInterface {
  name = 'Exports1763800000900';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE exports');
  }
}

const statements = [
  `CREATE TABLE exports (
    id uuid CONSTRAINT exports_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT exports_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    state text NOT NULL DEFAULT 'running',
    storage_key text NOT NULL,
    size_bytes bigint,
    sha256 text,
    attempts integer NOT NULL DEFAULT 0,
    fence integer NOT NULL DEFAULT 0,
    lease_expires_at timestamptz,
    last_error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    expires_at timestamptz,
    CONSTRAINT exports_state_check CHECK (state IN ('running', 'ready', 'failed'))
  )`,
  `CREATE UNIQUE INDEX exports_running_key ON exports (user_id) WHERE state = 'running'`,
  'CREATE INDEX exports_user_id ON exports (user_id)',
  'CREATE INDEX exports_expires_at ON exports (expires_at)',
];
