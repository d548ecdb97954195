import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sign-in to connected tool servers: applications registered with their providers, sign-ins under way, grants. */
export class McpOAuth1765000000300 implements MigrationInterface {
  name = 'McpOAuth1765000000300';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcp_oauth_grants, mcp_oauth_flows, mcp_oauth_clients');
  }
}

const statements = [
  `CREATE TABLE mcp_oauth_clients (
    id uuid CONSTRAINT mcp_oauth_clients_pkey PRIMARY KEY,
    issuer text NOT NULL,
    redirect_uri text NOT NULL,
    client_id text NOT NULL,
    client_secret_sealed bytea,
    auth_method text NOT NULL,
    scopes text NOT NULL DEFAULT '',
    secret_expires_at timestamptz,
    unanswered integer NOT NULL DEFAULT 0,
    retired_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT mcp_oauth_clients_auth_method_check
      CHECK (auth_method IN ('client_secret_basic', 'client_secret_post', 'none'))
  )`,
  `CREATE UNIQUE INDEX mcp_oauth_clients_current_key ON mcp_oauth_clients (issuer, redirect_uri)
     WHERE retired_at IS NULL`,
  `CREATE TABLE mcp_oauth_flows (
    id uuid CONSTRAINT mcp_oauth_flows_pkey PRIMARY KEY,
    state_hash bytea NOT NULL,
    server_id integer NOT NULL CONSTRAINT mcp_oauth_flows_server_id_fkey REFERENCES mcp_servers (id) ON DELETE CASCADE,
    server_version integer NOT NULL,
    checks_sealed bytea NOT NULL,
    issuer text NOT NULL,
    client_source text NOT NULL,
    client_id text NOT NULL,
    registration_id uuid CONSTRAINT mcp_oauth_flows_registration_id_fkey
      REFERENCES mcp_oauth_clients (id) ON DELETE CASCADE,
    redirect_uri text NOT NULL,
    resource text NOT NULL,
    scopes text NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  'CREATE UNIQUE INDEX mcp_oauth_flows_state_hash_key ON mcp_oauth_flows (state_hash)',
  'CREATE INDEX mcp_oauth_flows_server_id ON mcp_oauth_flows (server_id)',
  'CREATE INDEX mcp_oauth_flows_expires_at ON mcp_oauth_flows (expires_at)',
  // A grant outlives its server until its provider has heard that it is void, whoever deleted the server.
  `CREATE TABLE mcp_oauth_grants (
    id uuid CONSTRAINT mcp_oauth_grants_pkey PRIMARY KEY,
    server_id integer CONSTRAINT mcp_oauth_grants_server_id_fkey REFERENCES mcp_servers (id) ON DELETE SET NULL,
    issuer text NOT NULL,
    client_source text NOT NULL,
    client_id text NOT NULL,
    registration_id uuid CONSTRAINT mcp_oauth_grants_registration_id_fkey REFERENCES mcp_oauth_clients (id),
    origin text NOT NULL,
    resource text NOT NULL,
    scopes text NOT NULL,
    required_scopes text NOT NULL DEFAULT '',
    access_token_sealed bytea,
    refresh_token_sealed bytea,
    generation integer NOT NULL DEFAULT 1,
    obtained_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    refresh_at timestamptz,
    lease_until timestamptz,
    retry_at timestamptz,
    revoke_attempts integer NOT NULL DEFAULT 0,
    revoke_at timestamptz
  )`,
  'CREATE UNIQUE INDEX mcp_oauth_grants_server_id_key ON mcp_oauth_grants (server_id)',
  'CREATE INDEX mcp_oauth_grants_registration_id ON mcp_oauth_grants (registration_id)',
  'CREATE INDEX mcp_oauth_grants_void ON mcp_oauth_grants (revoke_at) WHERE server_id IS NULL',
];
