import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Accounts1763700000200 implements MigrationInterface {
  name = 'Accounts1763700000200';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...accounts, ...sessions]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE idempotency_keys, socket_tickets, refresh_tokens, access_tokens, sessions, user_roles, roles, users, organizations',
    );
  }
}

const accounts = [
  `CREATE TABLE organizations (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT organizations_pkey PRIMARY KEY,
    name text NOT NULL,
    domain text,
    personal boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  'CREATE UNIQUE INDEX organizations_domain_key ON organizations (domain) WHERE domain IS NOT NULL',
  `CREATE TABLE users (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT users_pkey PRIMARY KEY,
    username text NOT NULL,
    email text NOT NULL,
    password_hash text,
    first_name text NOT NULL DEFAULT '',
    last_name text NOT NULL DEFAULT '',
    phone bigint,
    language text NOT NULL DEFAULT 'en',
    llm_model_id integer,
    organization_id integer CONSTRAINT users_organization_id_fkey REFERENCES organizations (id) ON DELETE SET NULL,
    is_active boolean NOT NULL DEFAULT true,
    is_staff boolean NOT NULL DEFAULT false,
    verified boolean NOT NULL DEFAULT false,
    email_verified boolean NOT NULL DEFAULT false,
    number_verified boolean NOT NULL DEFAULT false,
    use_cloud boolean NOT NULL DEFAULT false,
    is_first_time boolean NOT NULL DEFAULT true,
    dedicated_agent boolean NOT NULL DEFAULT false,
    last_login timestamptz,
    date_joined timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT users_language_check CHECK (language IN ('en', 'ar'))
  )`,
  'CREATE UNIQUE INDEX users_username_key ON users (username)',
  'CREATE UNIQUE INDEX users_username_lower_key ON users (lower(username))',
  'CREATE UNIQUE INDEX users_email_lower_key ON users (lower(email))',
  'CREATE INDEX users_email ON users (email)',
  'CREATE INDEX users_organization_id ON users (organization_id)',
  `CREATE TABLE roles (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT roles_pkey PRIMARY KEY,
    name text NOT NULL
  )`,
  'CREATE UNIQUE INDEX roles_name_key ON roles (name)',
  `INSERT INTO roles (name) VALUES ('General')`,
  `CREATE TABLE user_roles (
    user_id integer NOT NULL CONSTRAINT user_roles_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    role_id integer NOT NULL CONSTRAINT user_roles_role_id_fkey REFERENCES roles (id) ON DELETE CASCADE,
    CONSTRAINT user_roles_pkey PRIMARY KEY (user_id, role_id)
  )`,
  'CREATE INDEX user_roles_role_id ON user_roles (role_id)',
];

const sessions = [
  `CREATE TABLE sessions (
    id uuid CONSTRAINT sessions_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT sessions_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    method text NOT NULL,
    ip text NOT NULL,
    user_agent text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    absolute_expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    CONSTRAINT sessions_method_check CHECK (method IN ('password', 'passkey', 'sso_org', 'sso_platform'))
  )`,
  'CREATE INDEX sessions_user_id ON sessions (user_id)',
  'CREATE INDEX sessions_absolute_expires_at ON sessions (absolute_expires_at)',
  `CREATE TABLE access_tokens (
    token_hash bytea CONSTRAINT access_tokens_pkey PRIMARY KEY,
    session_id uuid NOT NULL CONSTRAINT access_tokens_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
  )`,
  'CREATE INDEX access_tokens_session_id ON access_tokens (session_id)',
  'CREATE INDEX access_tokens_expires_at ON access_tokens (expires_at)',
  `CREATE TABLE refresh_tokens (
    token_hash bytea CONSTRAINT refresh_tokens_pkey PRIMARY KEY,
    session_id uuid NOT NULL CONSTRAINT refresh_tokens_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    replaced_at timestamptz,
    successor_hash bytea,
    successor_sealed bytea
  )`,
  'CREATE INDEX refresh_tokens_session_id ON refresh_tokens (session_id)',
  `CREATE TABLE socket_tickets (
    ticket_hash bytea CONSTRAINT socket_tickets_pkey PRIMARY KEY,
    session_id uuid NOT NULL CONSTRAINT socket_tickets_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    channel text NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  'CREATE INDEX socket_tickets_expires_at ON socket_tickets (expires_at)',
  `CREATE TABLE idempotency_keys (
    user_id integer NOT NULL CONSTRAINT idempotency_keys_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    claim uuid NOT NULL,
    lease_expires_at timestamptz NOT NULL,
    response_status integer,
    response_body text,
    expires_at timestamptz NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (user_id, key)
  )`,
  'CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at)',
];
