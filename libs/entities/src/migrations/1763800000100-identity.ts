import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What several domains of accounts stand on: sign-in methods, the audit log, messages, erasure. */
export class Identity1763800000100 implements MigrationInterface {
  name = 'Identity1763800000100';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...accounts, ...audit, ...messages, ...erasures]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of [
      'DROP TABLE erasures, outgoing_messages, audit_inbox, audit_events, sso_identities, passkeys',
      'DROP FUNCTION audit_events_are_final()',
      'ALTER TABLE users DROP COLUMN webauthn_handle, DROP COLUMN scim_external_id',
      'ALTER TABLE organizations DROP COLUMN seat_limit, DROP COLUMN domain_verified',
    ])
      await runner.query(statement);
  }
}

const accounts = [
  `ALTER TABLE organizations
     ADD COLUMN seat_limit integer CONSTRAINT organizations_seat_limit_check CHECK (seat_limit >= 0),
     ADD COLUMN domain_verified boolean NOT NULL DEFAULT false`,
  'ALTER TABLE users ADD COLUMN webauthn_handle bytea, ADD COLUMN scim_external_id text',
  'CREATE UNIQUE INDEX users_webauthn_handle_key ON users (webauthn_handle)',
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
];

const audit = [
  `CREATE TABLE audit_inbox (
    id uuid CONSTRAINT audit_inbox_pkey PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    event jsonb NOT NULL
  )`,
  'CREATE INDEX audit_inbox_at ON audit_inbox (at)',
  `CREATE TABLE audit_events (
    seq bigint CONSTRAINT audit_events_pkey PRIMARY KEY,
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    action text NOT NULL,
    outcome text NOT NULL,
    request_id text,
    actor_id integer,
    subject_id integer,
    personal jsonb,
    personal_digest bytea NOT NULL,
    prev_hash bytea NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT audit_events_outcome_check CHECK (outcome IN ('success', 'failure'))
  )`,
  'CREATE UNIQUE INDEX audit_events_id_key ON audit_events (id)',
  'CREATE INDEX audit_events_at ON audit_events (at)',
  'CREATE INDEX audit_events_action ON audit_events (action)',
  'CREATE INDEX audit_events_actor_id ON audit_events (actor_id)',
  'CREATE INDEX audit_events_subject_id ON audit_events (subject_id)',
  // Nothing is changed or removed, but for what is personal: an erasure takes it out, and the chain still holds.
  `CREATE FUNCTION audit_events_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP = 'UPDATE' AND NEW.personal IS NULL AND NEW.actor_id IS NULL AND NEW.subject_id IS NULL
        AND (NEW.seq, NEW.id, NEW.at, NEW.action, NEW.outcome, NEW.personal_digest, NEW.prev_hash, NEW.hash)
          = (OLD.seq, OLD.id, OLD.at, OLD.action, OLD.outcome, OLD.personal_digest, OLD.prev_hash, OLD.hash)
        AND NEW.request_id IS NOT DISTINCT FROM OLD.request_id THEN
       RETURN NEW;
     END IF;
     RAISE EXCEPTION 'audit_events is append-only' USING ERRCODE = 'restrict_violation';
   END $$`,
  `CREATE TRIGGER audit_events_final BEFORE UPDATE OR DELETE ON audit_events
     FOR EACH ROW EXECUTE FUNCTION audit_events_are_final()`,
  `CREATE TRIGGER audit_events_kept BEFORE TRUNCATE ON audit_events
     FOR EACH STATEMENT EXECUTE FUNCTION audit_events_are_final()`,
];

const messages = [
  `CREATE TABLE outgoing_messages (
    id uuid CONSTRAINT outgoing_messages_pkey PRIMARY KEY,
    channel text NOT NULL,
    template text NOT NULL,
    language text NOT NULL,
    recipient text NOT NULL,
    user_id integer CONSTRAINT outgoing_messages_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    params_sealed bytea,
    state text NOT NULL DEFAULT 'waiting',
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    last_error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    CONSTRAINT outgoing_messages_channel_check CHECK (channel IN ('mail', 'sms')),
    CONSTRAINT outgoing_messages_state_check CHECK (state IN ('waiting', 'sent', 'failed', 'expired'))
  )`,
  `CREATE INDEX outgoing_messages_waiting ON outgoing_messages (next_attempt_at) WHERE state = 'waiting'`,
  'CREATE INDEX outgoing_messages_user_id ON outgoing_messages (user_id)',
  'CREATE INDEX outgoing_messages_finished ON outgoing_messages (finished_at)',
];

const erasures = [
  `CREATE TABLE erasures (
    id uuid CONSTRAINT erasures_pkey PRIMARY KEY,
    user_id integer NOT NULL,
    state text NOT NULL DEFAULT 'running',
    finished_steps text[] NOT NULL DEFAULT '{}',
    counts jsonb NOT NULL DEFAULT '{}',
    attempts integer NOT NULL DEFAULT 0,
    fence integer NOT NULL DEFAULT 0,
    lease_expires_at timestamptz,
    last_error text NOT NULL DEFAULT '',
    requested_at timestamptz NOT NULL DEFAULT now(),
    completed_at timestamptz,
    CONSTRAINT erasures_state_check CHECK (state IN ('running', 'completed'))
  )`,
  'CREATE UNIQUE INDEX erasures_user_id_key ON erasures (user_id)',
];
