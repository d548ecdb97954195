import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sign-in of MCP clients at Atrium: who registered, what was asked, and what users granted. */
export class OAuthServer1765000000900 implements MigrationInterface {
  name = 'OAuthServer1765000000900';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE oauth_requests, oauth_grants, oauth_clients');
    await runner.query(`DELETE FROM sessions WHERE method = 'oauth'`);
    await runner.query(`ALTER TABLE sessions DROP CONSTRAINT sessions_method_check,
      ADD CONSTRAINT sessions_method_check CHECK (method IN ('password', 'passkey', 'sso_org', 'sso_platform', 'api_token'))`);
  }
}

const statements = [
  `ALTER TABLE sessions DROP CONSTRAINT sessions_method_check,
     ADD CONSTRAINT sessions_method_check CHECK (method IN ('password', 'passkey', 'sso_org', 'sso_platform', 'api_token', 'oauth'))`,
  `CREATE TABLE oauth_clients (
    id text CONSTRAINT oauth_clients_pkey PRIMARY KEY,
    name text NOT NULL,
    uri text NOT NULL DEFAULT '',
    redirect_uris text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE oauth_grants (
    session_id uuid CONSTRAINT oauth_grants_pkey PRIMARY KEY CONSTRAINT oauth_grants_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    user_id integer NOT NULL CONSTRAINT oauth_grants_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    client_id text NOT NULL CONSTRAINT oauth_grants_client_id_fkey REFERENCES oauth_clients (id) ON DELETE CASCADE,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  'CREATE INDEX oauth_grants_user_id ON oauth_grants (user_id)',
  'CREATE INDEX oauth_grants_client_id ON oauth_grants (client_id)',
  `CREATE TABLE oauth_requests (
    id uuid CONSTRAINT oauth_requests_pkey PRIMARY KEY,
    client_id text NOT NULL CONSTRAINT oauth_requests_client_id_fkey REFERENCES oauth_clients (id) ON DELETE CASCADE,
    redirect_uri text NOT NULL,
    scopes text[] NOT NULL,
    state text,
    code_challenge text NOT NULL,
    expires_at timestamptz NOT NULL,
    user_id integer CONSTRAINT oauth_requests_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    code_hash bytea,
    code_expires_at timestamptz,
    session_id uuid CONSTRAINT oauth_requests_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE
  )`,
  'CREATE UNIQUE INDEX oauth_requests_code_hash_key ON oauth_requests (code_hash)',
  'CREATE INDEX oauth_requests_expires_at ON oauth_requests (expires_at)',
  'CREATE INDEX oauth_requests_client_id ON oauth_requests (client_id)',
  'CREATE INDEX oauth_requests_user_id ON oauth_requests (user_id)',
  'CREATE INDEX oauth_requests_session_id ON oauth_requests (session_id)',
];
