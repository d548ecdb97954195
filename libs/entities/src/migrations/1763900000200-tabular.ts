import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files of the database and spreadsheet stores (docs/contract/tables.md#files). */
export class Tabular1763900000200 implements MigrationInterface {
  name = 'Tabular1763900000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE tabular_files (
        uid uuid CONSTRAINT tabular_files_pkey PRIMARY KEY,
        owner_id integer NOT NULL CONSTRAINT tabular_files_owner_id_fkey REFERENCES users (id),
        store text NOT NULL,
        folder text NOT NULL DEFAULT '',
        filename text NOT NULL,
        path text NOT NULL,
        kind text NOT NULL,
        mime_type text NOT NULL,
        size_bytes bigint NOT NULL,
        sha256 text NOT NULL,
        storage_key text NOT NULL,
        database_key text,
        header_row text NOT NULL DEFAULT 'auto',
        delimiter text NOT NULL DEFAULT 'auto',
        encoding text NOT NULL DEFAULT 'auto',
        processing_state text NOT NULL,
        status text NOT NULL DEFAULT '',
        last_error text NOT NULL DEFAULT '',
        tables jsonb NOT NULL DEFAULT '[]',
        sheets jsonb NOT NULL DEFAULT '[]',
        attempt integer NOT NULL DEFAULT 0,
        failed_tries integer NOT NULL DEFAULT 0,
        fence integer NOT NULL DEFAULT 0,
        leased_by text,
        lease_expires_at timestamptz,
        rung_at timestamptz NOT NULL DEFAULT now(),
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT tabular_files_store_check CHECK (store IN ('database', 'spreadsheet')),
        CONSTRAINT tabular_files_processing_state_check
          CHECK (processing_state IN ('pending_publish', 'queued', 'processing', 'completed', 'failed')),
        CONSTRAINT tabular_files_lease_check
          CHECK ((processing_state = 'processing') = (lease_expires_at IS NOT NULL)),
        CONSTRAINT tabular_files_database_check CHECK (processing_state <> 'completed' OR database_key IS NOT NULL)
      )`);
    await runner.query(
      'CREATE INDEX tabular_files_owner_created ON tabular_files (owner_id, store, created_at DESC, uid)',
    );
    await runner.query('CREATE INDEX tabular_files_owner_folder ON tabular_files (owner_id, store, folder)');
    await runner.query(`
      CREATE INDEX tabular_files_unfinished ON tabular_files (processing_state, rung_at)
      WHERE processing_state IN ('pending_publish', 'queued', 'processing')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tabular_files');
  }
}
