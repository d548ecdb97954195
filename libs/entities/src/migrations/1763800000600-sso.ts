import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Single sign-on: the applications of organisations, sign-ins under way, identities that wait for their link. */
export class Sso1763800000600 implements MigrationInterface {
  name = 'Sso1763800000600';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sso_verified_identities, sso_flows, organization_sso');
  }
}

const statements = [
  `CREATE TABLE organization_sso (
    organization_id integer CONSTRAINT organization_sso_pkey PRIMARY KEY
      CONSTRAINT organization_sso_organization_id_fkey REFERENCES organizations (id) ON DELETE CASCADE,
    issuer text,
    client_id text NOT NULL,
    client_secret_sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE sso_flows (
    id uuid CONSTRAINT sso_flows_pkey PRIMARY KEY,
    state_hash bytea NOT NULL,
    browser_hash bytea NOT NULL,
    provider text NOT NULL,
    organization_id integer
      CONSTRAINT sso_flows_organization_id_fkey REFERENCES organizations (id) ON DELETE CASCADE,
    checks_sealed bytea NOT NULL,
    redirect_path text,
    expires_at timestamptz NOT NULL,
    CONSTRAINT sso_flows_provider_check CHECK (provider IN ('sso_org', 'sso_platform'))
  )`,
  'CREATE UNIQUE INDEX sso_flows_state_hash_key ON sso_flows (state_hash)',
  'CREATE INDEX sso_flows_organization_id ON sso_flows (organization_id)',
  'CREATE INDEX sso_flows_expires_at ON sso_flows (expires_at)',
  `CREATE TABLE sso_verified_identities (
    id uuid CONSTRAINT sso_verified_identities_pkey PRIMARY KEY,
    user_id integer NOT NULL
      CONSTRAINT sso_verified_identities_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    session_id uuid NOT NULL
      CONSTRAINT sso_verified_identities_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    provider text NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    email text NOT NULL DEFAULT '',
    expires_at timestamptz NOT NULL,
    CONSTRAINT sso_verified_identities_provider_check CHECK (provider IN ('sso_org', 'sso_platform'))
  )`,
  'CREATE INDEX sso_verified_identities_user_id ON sso_verified_identities (user_id)',
  'CREATE INDEX sso_verified_identities_session_id ON sso_verified_identities (session_id)',
  'CREATE INDEX sso_verified_identities_expires_at ON sso_verified_identities (expires_at)',
];
