import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was shared with addresses that nobody has confirmed yet waits here. */
export class ShareInvitations1766000000950 implements MigrationInterface {
  name = 'ShareInvitations1766000000950';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE share_invitations (
        id uuid CONSTRAINT share_invitations_pkey PRIMARY KEY,
        kind text NOT NULL,
        document_uid uuid,
        workflow_id uuid,
        inviter_id integer NOT NULL,
        address text NOT NULL,
        role text,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT share_invitations_kind_check CHECK (kind IN ('document', 'collaborator', 'copy', 'app', 'transfer')),
        CONSTRAINT share_invitations_target_check CHECK ((document_uid IS NULL) <> (workflow_id IS NULL)),
        CONSTRAINT share_invitations_role_check
          CHECK ((kind = 'collaborator') = (role IS NOT NULL) AND role IN ('editor', 'viewer')),
        CONSTRAINT share_invitations_document_uid_fkey FOREIGN KEY (document_uid)
          REFERENCES documents (uid) ON DELETE CASCADE,
        CONSTRAINT share_invitations_workflow_id_fkey FOREIGN KEY (workflow_id)
          REFERENCES workflows (id) ON DELETE CASCADE,
        CONSTRAINT share_invitations_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX share_invitations_document_key ON share_invitations (document_uid, address)',
    );
    await runner.query(
      'CREATE UNIQUE INDEX share_invitations_workflow_key ON share_invitations (workflow_id, kind, address)',
    );
    await runner.query('CREATE INDEX share_invitations_inviter_id ON share_invitations (inviter_id)');
    await runner.query('CREATE INDEX share_invitations_address ON share_invitations (address)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE share_invitations');
  }
}
