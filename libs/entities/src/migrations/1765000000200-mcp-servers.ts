import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tool servers that users connected, and the tools that were found there. */
export class McpServers1765000000200 implements MigrationInterface {
  name = 'McpServers1765000000200';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcp_tools, mcp_servers');
  }
}

const statements = [
  `CREATE TABLE mcp_servers (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT mcp_servers_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT mcp_servers_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    label text NOT NULL,
    slug text NOT NULL,
    url text NOT NULL,
    auth_type text NOT NULL DEFAULT 'none',
    auth_header_name text NOT NULL DEFAULT '',
    secret_sealed bytea,
    enabled boolean NOT NULL DEFAULT true,
    status text NOT NULL,
    last_ok_at timestamptz,
    last_error text NOT NULL DEFAULT '',
    granted_scopes text NOT NULL DEFAULT '',
    token_expires_at timestamptz,
    oauth_provider text,
    version integer NOT NULL DEFAULT 1,
    transport text,
    protocol_version text NOT NULL DEFAULT '',
    server_info jsonb NOT NULL DEFAULT '{}',
    tools_listed_at timestamptz,
    tools_stale boolean NOT NULL DEFAULT false,
    tools_note text NOT NULL DEFAULT '',
    failed_at timestamptz[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT mcp_servers_auth_type_check CHECK (auth_type IN ('none', 'bearer', 'header', 'oauth')),
    CONSTRAINT mcp_servers_status_check CHECK (status IN ('untested', 'ok', 'error', 'needs_reauth')),
    CONSTRAINT mcp_servers_transport_check CHECK (transport IN ('streamable_http', 'sse'))
  )`,
  'CREATE UNIQUE INDEX mcp_servers_user_id_slug_key ON mcp_servers (user_id, slug)',
  `CREATE TABLE mcp_tools (
    server_id integer NOT NULL CONSTRAINT mcp_tools_server_id_fkey REFERENCES mcp_servers (id) ON DELETE CASCADE,
    name text NOT NULL,
    offered_name text NOT NULL,
    title text NOT NULL DEFAULT '',
    description text NOT NULL DEFAULT '',
    input_schema jsonb NOT NULL,
    output_schema jsonb,
    annotations jsonb NOT NULL DEFAULT '{}',
    definition_hash text NOT NULL,
    accepted_hash text,
    accepted_definition jsonb,
    enabled boolean NOT NULL DEFAULT true,
    position integer NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT mcp_tools_pkey PRIMARY KEY (server_id, name)
  )`,
  'CREATE UNIQUE INDEX mcp_tools_server_id_offered_name_key ON mcp_tools (server_id, offered_name)',
];
