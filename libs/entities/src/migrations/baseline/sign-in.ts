/** Passkeys, single sign-on and directories: libs/auth. */
export const signIn: readonly string[] = [
  `CREATE TABLE passkeys (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT passkeys_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT passkeys_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    credential_id text NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL DEFAULT 0,
    name text NOT NULL,
    aaguid text NOT NULL DEFAULT '',
    transports text[] NOT NULL DEFAULT '{}',
    device_type text NOT NULL,
    backed_up boolean NOT NULL DEFAULT false,
    rek_wrapped_sealed bytea,
    suspected_clone_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    CONSTRAINT passkeys_device_type_check CHECK (device_type IN ('singleDevice', 'multiDevice'))
  )`,
  'CREATE UNIQUE INDEX passkeys_credential_id_key ON passkeys (credential_id)',
  'CREATE INDEX passkeys_user_id ON passkeys (user_id)',
  `CREATE TABLE webauthn_ceremonies (
    id uuid CONSTRAINT webauthn_ceremonies_pkey PRIMARY KEY,
    kind text NOT NULL,
    user_id integer CONSTRAINT webauthn_ceremonies_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    challenge text NOT NULL,
    name text NOT NULL DEFAULT '',
    expires_at timestamptz NOT NULL,
    consumed_at timestamptz,
    CONSTRAINT webauthn_ceremonies_kind_check CHECK (((kind = 'register') AND (user_id IS NOT NULL)) OR ((kind = 'login')
      AND (user_id IS NULL)))
  )`,
  'CREATE UNIQUE INDEX webauthn_ceremonies_challenge_key ON webauthn_ceremonies (challenge)',
  'CREATE INDEX webauthn_ceremonies_user_id ON webauthn_ceremonies (user_id)',
  'CREATE INDEX webauthn_ceremonies_expires_at ON webauthn_ceremonies (expires_at)',
  `CREATE TABLE organization_sso (
    organization_id integer CONSTRAINT organization_sso_pkey PRIMARY KEY CONSTRAINT organization_sso_organization_id_fkey
      REFERENCES organizations (id) ON DELETE CASCADE,
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
    organization_id integer CONSTRAINT sso_flows_organization_id_fkey REFERENCES organizations (id) ON DELETE CASCADE,
    checks_sealed bytea NOT NULL,
    redirect_path text,
    expires_at timestamptz NOT NULL,
    CONSTRAINT sso_flows_provider_check CHECK (provider IN ('sso_org', 'sso_platform'))
  )`,
  'CREATE UNIQUE INDEX sso_flows_state_hash_key ON sso_flows (state_hash)',
  'CREATE INDEX sso_flows_organization_id ON sso_flows (organization_id)',
  'CREATE INDEX sso_flows_expires_at ON sso_flows (expires_at)',
  `CREATE TABLE sso_identities (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT sso_identities_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT sso_identities_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    provider text NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    email text NOT NULL DEFAULT '',
    rek_wrapped_sealed bytea,
    linked_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT sso_identities_provider_check CHECK (provider IN ('sso_org', 'sso_platform'))
  )`,
  'CREATE UNIQUE INDEX sso_identities_subject_key ON sso_identities (provider, issuer, subject)',
  'CREATE UNIQUE INDEX sso_identities_user_key ON sso_identities (user_id, provider)',
  `CREATE TABLE sso_verified_identities (
    id uuid CONSTRAINT sso_verified_identities_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT sso_verified_identities_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    session_id uuid NOT NULL CONSTRAINT sso_verified_identities_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
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
  `CREATE TABLE sso_domain_challenges (
    domain text CONSTRAINT sso_domain_challenges_pkey PRIMARY KEY,
    nonce bytea NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  'CREATE INDEX sso_domain_challenges_expires_at ON sso_domain_challenges (expires_at)',
  `CREATE TABLE sso_setup_tokens (
    id uuid CONSTRAINT sso_setup_tokens_pkey PRIMARY KEY,
    token_hash bytea NOT NULL,
    domain text NOT NULL,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  'CREATE UNIQUE INDEX sso_setup_tokens_token_hash_key ON sso_setup_tokens (token_hash)',
  'CREATE INDEX sso_setup_tokens_expires_at ON sso_setup_tokens (expires_at)',
  `CREATE TABLE scim_tokens (
    id uuid CONSTRAINT scim_tokens_pkey PRIMARY KEY,
    organization_id integer NOT NULL CONSTRAINT scim_tokens_organization_id_fkey REFERENCES organizations (id)
      ON DELETE CASCADE,
    token_hash bytea NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at timestamptz
  )`,
  'CREATE UNIQUE INDEX scim_tokens_token_hash_key ON scim_tokens (token_hash)',
  'CREATE INDEX scim_tokens_organization_id ON scim_tokens (organization_id)',
  `CREATE TABLE scim_groups (
    id uuid CONSTRAINT scim_groups_pkey PRIMARY KEY,
    organization_id integer NOT NULL CONSTRAINT scim_groups_organization_id_fkey REFERENCES organizations (id)
      ON DELETE CASCADE,
    display_name text NOT NULL,
    external_id text,
    created_at timestamptz NOT NULL DEFAULT now(),
    modified_at timestamptz NOT NULL DEFAULT now()
  )`,
  'CREATE UNIQUE INDEX scim_groups_display_name_key ON scim_groups (organization_id, lower(display_name))',
  'CREATE UNIQUE INDEX scim_groups_external_id_key ON scim_groups (organization_id, external_id)',
  `CREATE TABLE scim_group_members (
    group_id uuid CONSTRAINT scim_group_members_group_id_fkey REFERENCES scim_groups (id) ON DELETE CASCADE,
    user_id integer CONSTRAINT scim_group_members_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT scim_group_members_pkey PRIMARY KEY (group_id, user_id)
  )`,
  'CREATE INDEX scim_group_members_user_id ON scim_group_members (user_id)',
];
