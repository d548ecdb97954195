import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organisations that people run themselves: invitations, secrets, and whose organisation an entry of the audit log is of. */
export class Organizations1766000005500 implements MigrationInterface {
  name = 'Organizations1766000005500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE organization_invitations (
        id uuid NOT NULL,
        organization_id integer NOT NULL,
        address text NOT NULL,
        role text NOT NULL,
        inviter_id integer NOT NULL,
        token_hash bytea NOT NULL,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
        CONSTRAINT organization_invitations_role_check CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
        CONSTRAINT organization_invitations_organization_id_address_key UNIQUE (organization_id, address),
        CONSTRAINT organization_invitations_pkey PRIMARY KEY (id),
        CONSTRAINT organization_invitations_organization_id_fkey FOREIGN KEY (organization_id)
          REFERENCES organizations(id) ON DELETE CASCADE ON UPDATE NO ACTION,
        CONSTRAINT organization_invitations_inviter_id_fkey FOREIGN KEY (inviter_id)
          REFERENCES users(id) ON DELETE CASCADE ON UPDATE NO ACTION
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX organization_invitations_token_hash_key ON organization_invitations (token_hash)',
    );
    await runner.query('CREATE INDEX organization_invitations_address ON organization_invitations (address)');
    await runner.query('CREATE INDEX organization_invitations_inviter_id ON organization_invitations (inviter_id)');
    await runner.query(`CREATE TABLE organization_secrets (
        id uuid NOT NULL,
        organization_id integer NOT NULL,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        value_sealed bytea NOT NULL,
        hosts text array,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT organization_secrets_organization_id_name_key UNIQUE (organization_id, name),
        CONSTRAINT organization_secrets_pkey PRIMARY KEY (id),
        CONSTRAINT organization_secrets_organization_id_fkey FOREIGN KEY (organization_id)
          REFERENCES organizations(id) ON DELETE CASCADE ON UPDATE NO ACTION
      )`);
    await runner.query('ALTER TABLE audit_events ADD organization_id integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit_events DROP COLUMN organization_id');
    await runner.query('DROP TABLE organization_secrets');
    await runner.query('DROP TABLE organization_invitations');
  }
}
