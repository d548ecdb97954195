import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ExtractedTables1766000003000 implements MigrationInterface {
  name = 'ExtractedTables1766000003000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE extracted_tables (
        id uuid NOT NULL,
        owner_id integer NOT NULL,
        name text NOT NULL,
        columns jsonb NOT NULL,
        metadata jsonb NOT NULL DEFAULT '{}',
        workflow_id uuid,
        rows_count integer NOT NULL DEFAULT '0',
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT extracted_tables_rows_count_check CHECK (rows_count >= 0),
        CONSTRAINT extracted_tables_pkey PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE INDEX extracted_tables_workflow_id ON extracted_tables  (workflow_id) `);
    await runner.query(`CREATE INDEX extracted_tables_owner ON extracted_tables  (owner_id, id) `);
    await runner.query(`CREATE TABLE extracted_table_grants (
        table_id uuid NOT NULL,
        user_id integer NOT NULL,
        role text NOT NULL,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT extracted_table_grants_role_check CHECK (role IN ('viewer', 'editor')),
        CONSTRAINT extracted_table_grants_pkey PRIMARY KEY (table_id, user_id)
      )`);
    await runner.query(`CREATE INDEX extracted_table_grants_user_id ON extracted_table_grants  (user_id) `);
    await runner.query(`CREATE TABLE extracted_table_databases (
        id uuid NOT NULL,
        owner_id integer NOT NULL,
        name text NOT NULL,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT extracted_table_databases_pkey PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE INDEX extracted_table_databases_owner ON extracted_table_databases  (owner_id, id) `);
    await runner.query(`CREATE TABLE extracted_table_database_members (
        database_id uuid NOT NULL,
        table_id uuid NOT NULL,
        "position" integer NOT NULL,
        CONSTRAINT extracted_table_database_members_pkey PRIMARY KEY (database_id, table_id)
      )`);
    await runner.query(
      `CREATE INDEX extracted_table_database_members_table_id ON extracted_table_database_members  (table_id) `,
    );
    await runner.query(`CREATE TABLE extracted_table_changes (
        id uuid NOT NULL,
        table_id uuid NOT NULL,
        user_id integer NOT NULL,
        turn_id uuid,
        changes jsonb NOT NULL,
        undone_at TIMESTAMP WITH TIME ZONE,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT extracted_table_changes_pkey PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE INDEX extracted_table_changes_user_id ON extracted_table_changes  (user_id) `);
    await runner.query(`CREATE INDEX extracted_table_changes_table_id ON extracted_table_changes  (table_id, id) `);
    await runner.query(`CREATE TABLE extracted_rows (
        id uuid NOT NULL,
        table_id uuid NOT NULL,
        source_uid text NOT NULL,
        "position" integer NOT NULL DEFAULT '0',
        document_uid uuid,
        data jsonb NOT NULL DEFAULT '{}',
        filename text NOT NULL DEFAULT '',
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        processed_at TIMESTAMP WITH TIME ZONE,
        CONSTRAINT extracted_rows_once UNIQUE (table_id, source_uid, "position"),
        CONSTRAINT extracted_rows_pkey PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE INDEX extracted_rows_document_uid ON extracted_rows  (document_uid) `);
    await runner.query(`CREATE INDEX extracted_rows_table_id ON extracted_rows  (table_id, id) `);
    await runner.query(`CREATE TABLE extracted_cells (
        row_id uuid NOT NULL,
        column_name text NOT NULL,
        table_id uuid NOT NULL,
        status text NOT NULL,
        quote text NOT NULL DEFAULT '',
        spans jsonb NOT NULL DEFAULT '[]',
        page_width real,
        page_height real,
        place jsonb,
        score real NOT NULL DEFAULT '0',
        ambiguous boolean NOT NULL DEFAULT false,
        method text NOT NULL,
        anchor text NOT NULL DEFAULT 'none',
        reason text,
        model text,
        edited_at TIMESTAMP WITH TIME ZONE,
        verified_by integer,
        verified_at TIMESTAMP WITH TIME ZONE,
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT extracted_cells_anchor_check CHECK (anchor IN ('exact', 'normalised', 'fuzzy', 'none')),
        CONSTRAINT extracted_cells_method_check CHECK (method IN ('rules', 'model', 'person')),
        CONSTRAINT extracted_cells_status_check CHECK (status IN ('anchored', 'unanchored', 'no_evidence')),
        CONSTRAINT extracted_cells_pkey PRIMARY KEY (row_id, column_name)
      )`);
    await runner.query(`CREATE INDEX extracted_cells_verified_by ON extracted_cells  (verified_by) `);
    await runner.query(`CREATE INDEX extracted_cells_review ON extracted_cells  (table_id, status, score) `);
    await runner.query(`CREATE TABLE extractions (
        id uuid NOT NULL,
        table_id uuid NOT NULL,
        requested_by integer NOT NULL,
        columns jsonb,
        mode text NOT NULL,
        overwrite_edited boolean NOT NULL DEFAULT false,
        ocr boolean,
        state text NOT NULL DEFAULT 'accepted',
        total integer NOT NULL,
        completed integer NOT NULL DEFAULT '0',
        failed integer NOT NULL DEFAULT '0',
        last_seq integer NOT NULL DEFAULT '0',
        request_key text,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        completed_at TIMESTAMP WITH TIME ZONE,
        CONSTRAINT extractions_state_check CHECK (state IN ('accepted', 'processing', 'completed', 'partial', 'failed', 'cancelled')),
        CONSTRAINT extractions_mode_check CHECK (mode IN ('missing', 'all')),
        CONSTRAINT extractions_pkey PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE INDEX extractions_requested_by ON extractions  (requested_by) `);
    await runner.query(`CREATE INDEX extractions_table_id ON extractions  (table_id, id) `);
    await runner.query(
      `CREATE UNIQUE INDEX extractions_request_key ON extractions  (requested_by, request_key) WHERE request_key IS NOT NULL`,
    );
    await runner.query(`CREATE TABLE extraction_items (
        attempts integer NOT NULL DEFAULT '0',
        fence integer NOT NULL DEFAULT '0',
        lease_owner text,
        leased_until TIMESTAMP WITH TIME ZONE,
        last_error text NOT NULL DEFAULT '',
        id uuid NOT NULL,
        extraction_id uuid NOT NULL,
        table_id uuid NOT NULL,
        requested_by integer NOT NULL,
        document_uid uuid,
        source_uid text NOT NULL,
        filename text NOT NULL,
        state text NOT NULL DEFAULT 'queued',
        cells_filled integer NOT NULL DEFAULT '0',
        cells_empty integer NOT NULL DEFAULT '0',
        next_attempt_at TIMESTAMP WITH TIME ZONE DEFAULT now(),
        started_at TIMESTAMP WITH TIME ZONE,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT extraction_items_once UNIQUE (extraction_id, source_uid),
        CONSTRAINT extraction_items_state_check CHECK (state IN ('queued', 'processing', 'completed', 'failed', 'cancelled')),
        CONSTRAINT extraction_items_pkey PRIMARY KEY (id)
      )`);
    await runner.query(
      `CREATE INDEX extraction_items_next_attempt_at ON extraction_items  (next_attempt_at) WHERE next_attempt_at IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX extraction_items_document_uid ON extraction_items  (document_uid) `);
    await runner.query(`CREATE INDEX extraction_items_source ON extraction_items  (table_id, source_uid) `);
    await runner.query(
      `CREATE INDEX extraction_items_waiting ON extraction_items  (requested_by, id) WHERE state = 'queued'`,
    );
    await runner.query(`CREATE INDEX extraction_items_served ON extraction_items  (requested_by, started_at) `);
    await runner.query(
      `CREATE UNIQUE INDEX extraction_items_at_work ON extraction_items  (table_id, source_uid) WHERE state = 'processing'`,
    );
    await runner.query(`CREATE TABLE extraction_events (
        extraction_id uuid NOT NULL,
        seq integer NOT NULL,
        type text NOT NULL,
        payload jsonb NOT NULL,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT extraction_events_pkey PRIMARY KEY (extraction_id, seq)
      )`);
    await runner.query(
      `ALTER TABLE extracted_tables ADD CONSTRAINT extracted_tables_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_tables ADD CONSTRAINT extracted_tables_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE SET NULL ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_table_grants ADD CONSTRAINT extracted_table_grants_table_id_fkey FOREIGN KEY (table_id) REFERENCES extracted_tables(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_table_grants ADD CONSTRAINT extracted_table_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_table_databases ADD CONSTRAINT extracted_table_databases_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_table_database_members ADD CONSTRAINT extracted_table_database_members_database_id_fkey FOREIGN KEY (database_id) REFERENCES extracted_table_databases(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_table_database_members ADD CONSTRAINT extracted_table_database_members_table_id_fkey FOREIGN KEY (table_id) REFERENCES extracted_tables(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_table_changes ADD CONSTRAINT extracted_table_changes_table_id_fkey FOREIGN KEY (table_id) REFERENCES extracted_tables(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_table_changes ADD CONSTRAINT extracted_table_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_rows ADD CONSTRAINT extracted_rows_table_id_fkey FOREIGN KEY (table_id) REFERENCES extracted_tables(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_rows ADD CONSTRAINT extracted_rows_document_uid_fkey FOREIGN KEY (document_uid) REFERENCES documents(uid) ON DELETE SET NULL ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_cells ADD CONSTRAINT extracted_cells_row_id_fkey FOREIGN KEY (row_id) REFERENCES extracted_rows(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_cells ADD CONSTRAINT extracted_cells_table_id_fkey FOREIGN KEY (table_id) REFERENCES extracted_tables(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extracted_cells ADD CONSTRAINT extracted_cells_verified_by_fkey FOREIGN KEY (verified_by) REFERENCES users(id) ON DELETE SET NULL ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extractions ADD CONSTRAINT extractions_table_id_fkey FOREIGN KEY (table_id) REFERENCES extracted_tables(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extractions ADD CONSTRAINT extractions_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extraction_items ADD CONSTRAINT extraction_items_extraction_id_fkey FOREIGN KEY (extraction_id) REFERENCES extractions(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extraction_items ADD CONSTRAINT extraction_items_table_id_fkey FOREIGN KEY (table_id) REFERENCES extracted_tables(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extraction_items ADD CONSTRAINT extraction_items_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extraction_items ADD CONSTRAINT extraction_items_document_uid_fkey FOREIGN KEY (document_uid) REFERENCES documents(uid) ON DELETE SET NULL ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE extraction_events ADD CONSTRAINT extraction_events_extraction_id_fkey FOREIGN KEY (extraction_id) REFERENCES extractions(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE extraction_events DROP CONSTRAINT extraction_events_extraction_id_fkey`);
    await runner.query(`ALTER TABLE extraction_items DROP CONSTRAINT extraction_items_document_uid_fkey`);
    await runner.query(`ALTER TABLE extraction_items DROP CONSTRAINT extraction_items_requested_by_fkey`);
    await runner.query(`ALTER TABLE extraction_items DROP CONSTRAINT extraction_items_table_id_fkey`);
    await runner.query(`ALTER TABLE extraction_items DROP CONSTRAINT extraction_items_extraction_id_fkey`);
    await runner.query(`ALTER TABLE extractions DROP CONSTRAINT extractions_requested_by_fkey`);
    await runner.query(`ALTER TABLE extractions DROP CONSTRAINT extractions_table_id_fkey`);
    await runner.query(`ALTER TABLE extracted_cells DROP CONSTRAINT extracted_cells_verified_by_fkey`);
    await runner.query(`ALTER TABLE extracted_cells DROP CONSTRAINT extracted_cells_table_id_fkey`);
    await runner.query(`ALTER TABLE extracted_cells DROP CONSTRAINT extracted_cells_row_id_fkey`);
    await runner.query(`ALTER TABLE extracted_rows DROP CONSTRAINT extracted_rows_document_uid_fkey`);
    await runner.query(`ALTER TABLE extracted_rows DROP CONSTRAINT extracted_rows_table_id_fkey`);
    await runner.query(`ALTER TABLE extracted_table_changes DROP CONSTRAINT extracted_table_changes_user_id_fkey`);
    await runner.query(`ALTER TABLE extracted_table_changes DROP CONSTRAINT extracted_table_changes_table_id_fkey`);
    await runner.query(
      `ALTER TABLE extracted_table_database_members DROP CONSTRAINT extracted_table_database_members_table_id_fkey`,
    );
    await runner.query(
      `ALTER TABLE extracted_table_database_members DROP CONSTRAINT extracted_table_database_members_database_id_fkey`,
    );
    await runner.query(`ALTER TABLE extracted_table_databases DROP CONSTRAINT extracted_table_databases_owner_id_fkey`);
    await runner.query(`ALTER TABLE extracted_table_grants DROP CONSTRAINT extracted_table_grants_user_id_fkey`);
    await runner.query(`ALTER TABLE extracted_table_grants DROP CONSTRAINT extracted_table_grants_table_id_fkey`);
    await runner.query(`ALTER TABLE extracted_tables DROP CONSTRAINT extracted_tables_workflow_id_fkey`);
    await runner.query(`ALTER TABLE extracted_tables DROP CONSTRAINT extracted_tables_owner_id_fkey`);
    await runner.query(`DROP TABLE extraction_events`);
    await runner.query(`DROP INDEX public.extraction_items_at_work`);
    await runner.query(`DROP INDEX public.extraction_items_served`);
    await runner.query(`DROP INDEX public.extraction_items_waiting`);
    await runner.query(`DROP INDEX public.extraction_items_source`);
    await runner.query(`DROP INDEX public.extraction_items_document_uid`);
    await runner.query(`DROP INDEX public.extraction_items_next_attempt_at`);
    await runner.query(`DROP TABLE extraction_items`);
    await runner.query(`DROP INDEX public.extractions_request_key`);
    await runner.query(`DROP INDEX public.extractions_table_id`);
    await runner.query(`DROP INDEX public.extractions_requested_by`);
    await runner.query(`DROP TABLE extractions`);
    await runner.query(`DROP INDEX public.extracted_cells_review`);
    await runner.query(`DROP INDEX public.extracted_cells_verified_by`);
    await runner.query(`DROP TABLE extracted_cells`);
    await runner.query(`DROP INDEX public.extracted_rows_table_id`);
    await runner.query(`DROP INDEX public.extracted_rows_document_uid`);
    await runner.query(`DROP TABLE extracted_rows`);
    await runner.query(`DROP INDEX public.extracted_table_changes_table_id`);
    await runner.query(`DROP INDEX public.extracted_table_changes_user_id`);
    await runner.query(`DROP TABLE extracted_table_changes`);
    await runner.query(`DROP INDEX public.extracted_table_database_members_table_id`);
    await runner.query(`DROP TABLE extracted_table_database_members`);
    await runner.query(`DROP INDEX public.extracted_table_databases_owner`);
    await runner.query(`DROP TABLE extracted_table_databases`);
    await runner.query(`DROP INDEX public.extracted_table_grants_user_id`);
    await runner.query(`DROP TABLE extracted_table_grants`);
    await runner.query(`DROP INDEX public.extracted_tables_owner`);
    await runner.query(`DROP INDEX public.extracted_tables_workflow_id`);
    await runner.query(`DROP TABLE extracted_tables`);
  }
}
