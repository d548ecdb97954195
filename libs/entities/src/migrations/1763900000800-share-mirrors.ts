import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sharing is repeated in the drives that documents come from. */
export class ShareMirrors1763900000800 implements MigrationInterface {
  name = 'ShareMirrors1763900000800';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER document_shares_mirrored ON document_shares');
    await runner.query('DROP FUNCTION mirror_document_share()');
    await runner.query('DROP TABLE document_share_mirrors');
  }
}

const statements = [
  `CREATE TABLE document_share_mirrors (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT document_share_mirrors_pkey PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT document_share_mirrors_owner_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    document_uid uuid NOT NULL,
    user_id integer CONSTRAINT document_share_mirrors_user_id_fkey REFERENCES users (id) ON DELETE SET NULL,
    email text NOT NULL,
    source_id uuid
      CONSTRAINT document_share_mirrors_source_id_fkey REFERENCES external_sources (id) ON DELETE CASCADE,
    item_id text NOT NULL,
    wanted boolean NOT NULL DEFAULT true,
    version integer NOT NULL DEFAULT 1,
    attempted boolean NOT NULL DEFAULT false,
    grant_handle text,
    tries integer NOT NULL DEFAULT 0,
    due_at timestamptz DEFAULT now(),
    fence integer NOT NULL DEFAULT 0,
    lease_expires_at timestamptz,
    last_error text NOT NULL DEFAULT ''
  )`,
  'CREATE UNIQUE INDEX document_share_mirrors_share_key ON document_share_mirrors (document_uid, user_id)',
  'CREATE INDEX document_share_mirrors_owner_id ON document_share_mirrors (owner_id)',
  'CREATE INDEX document_share_mirrors_user_id ON document_share_mirrors (user_id)',
  'CREATE INDEX document_share_mirrors_source_id ON document_share_mirrors (source_id)',
  'CREATE INDEX document_share_mirrors_due_at ON document_share_mirrors (due_at) WHERE due_at IS NOT NULL',
  // Shares come and go by several ways, cascades among them: none of them can forget the drive.
  `CREATE FUNCTION mirror_document_share() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      UPDATE document_share_mirrors
      SET wanted = false, version = version + 1, tries = 0, last_error = '', due_at = now()
      WHERE document_uid = OLD.document_uid AND user_id = OLD.user_id;
      RETURN OLD;
    END IF;
    INSERT INTO document_share_mirrors AS m (owner_id, document_uid, user_id, email, source_id, item_id)
    SELECT d.owner_id, d.uid, u.id, u.email, i.source_id, coalesce(i.item_id, d.external_drive_item_id)
    FROM documents d JOIN users u ON u.id = NEW.user_id LEFT JOIN external_items i ON i.document_uid = d.uid
    WHERE d.uid = NEW.document_uid AND d.from_dms AND coalesce(i.item_id, d.external_drive_item_id) IS NOT NULL
    LIMIT 1
    ON CONFLICT (document_uid, user_id) DO UPDATE
      SET wanted = true, version = m.version + 1, email = excluded.email, tries = 0, last_error = '', due_at = now();
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER document_shares_mirrored AFTER INSERT OR DELETE ON document_shares
   FOR EACH ROW EXECUTE FUNCTION mirror_document_share()`,
];
