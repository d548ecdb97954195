/** Who is signed in, and what calls in their name: libs/auth. */
export const sessions: readonly string[] = [
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
    CONSTRAINT sessions_method_check CHECK (method IN ('password', 'passkey', 'sso_org', 'sso_platform', 'api_token',
      'oauth'))
  )`,
  'CREATE INDEX sessions_user_id ON sessions (user_id)',
  'CREATE INDEX sessions_absolute_expires_at ON sessions (absolute_expires_at)',
  // What the removal of expired sessions looks for, here and in refresh_tokens_sealed.
  'CREATE INDEX sessions_revoked_at ON sessions (revoked_at) WHERE revoked_at IS NOT NULL',
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
  'CREATE INDEX refresh_tokens_sealed ON refresh_tokens (replaced_at) WHERE successor_sealed IS NOT NULL',
  `CREATE TABLE socket_tickets (
    ticket_hash bytea CONSTRAINT socket_tickets_pkey PRIMARY KEY,
    session_id uuid NOT NULL CONSTRAINT socket_tickets_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    channel text NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  'CREATE INDEX socket_tickets_expires_at ON socket_tickets (expires_at)',
  'CREATE INDEX socket_tickets_session_id ON socket_tickets (session_id)',
  `CREATE TABLE api_tokens (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT api_tokens_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT api_tokens_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    session_id uuid NOT NULL CONSTRAINT api_tokens_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    name text NOT NULL,
    scopes text[] NOT NULL,
    hint text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz
  )`,
  'CREATE UNIQUE INDEX api_tokens_session_id_key ON api_tokens (session_id)',
  'CREATE INDEX api_tokens_user_id ON api_tokens (user_id)',
  `CREATE TABLE idempotency_keys (
    user_id integer CONSTRAINT idempotency_keys_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    key text,
    fingerprint bytea NOT NULL,
    claim uuid NOT NULL,
    lease_expires_at timestamptz NOT NULL,
    response_status integer,
    response_body text,
    expires_at timestamptz NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (user_id, key)
  )`,
  'CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at)',
  `CREATE TABLE oauth_clients (
    id text CONSTRAINT oauth_clients_pkey PRIMARY KEY,
    name text NOT NULL,
    uri text NOT NULL DEFAULT '',
    redirect_uris text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE oauth_grants (
    session_id uuid CONSTRAINT oauth_grants_pkey PRIMARY KEY CONSTRAINT oauth_grants_session_id_fkey
      REFERENCES sessions (id) ON DELETE CASCADE,
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
