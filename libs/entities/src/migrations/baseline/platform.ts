import { auditEventsAreFinal } from '../../functions/audit-events-are-final.js';

/** Work, messages and sums that belong to no domain alone: libs/queues,
 * libs/audit, libs/messages, libs/erasure, libs/models, libs/entities. */
export const platform: readonly string[] = [
  `CREATE TABLE outbox_messages (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT outbox_messages_pkey PRIMARY KEY,
    job text NOT NULL,
    queue text NOT NULL,
    job_key text NOT NULL,
    payload jsonb NOT NULL,
    request_id text,
    attempts integer NOT NULL DEFAULT 0,
    last_error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    available_at timestamptz NOT NULL
  )`,
  'CREATE INDEX outbox_messages_available_at ON outbox_messages (available_at)',
  `CREATE TABLE task_leases (
    name text CONSTRAINT task_leases_pkey PRIMARY KEY,
    holder uuid NOT NULL,
    leased_until timestamptz NOT NULL
  )`,
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
    next_attempt_at timestamptz DEFAULT now(),
    expires_at timestamptz,
    last_error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    fence integer NOT NULL DEFAULT 0,
    lease_owner text,
    leased_until timestamptz,
    CONSTRAINT outgoing_messages_channel_check CHECK (channel IN ('mail', 'sms')),
    CONSTRAINT outgoing_messages_state_check CHECK (state IN ('waiting', 'sent', 'failed', 'expired'))
  )`,
  'CREATE INDEX outgoing_messages_user_id ON outgoing_messages (user_id)',
  'CREATE INDEX outgoing_messages_finished ON outgoing_messages (finished_at)',
  `CREATE INDEX outgoing_messages_next_attempt_at ON outgoing_messages (next_attempt_at)
    WHERE next_attempt_at IS NOT NULL`,
  `CREATE TABLE erasures (
    id uuid CONSTRAINT erasures_pkey PRIMARY KEY,
    user_id integer NOT NULL,
    state text NOT NULL DEFAULT 'running',
    finished_steps text[] NOT NULL DEFAULT '{}',
    counts jsonb NOT NULL DEFAULT '{}',
    attempts integer NOT NULL DEFAULT 0,
    fence integer NOT NULL DEFAULT 0,
    leased_until timestamptz,
    last_error text NOT NULL DEFAULT '',
    requested_at timestamptz NOT NULL DEFAULT now(),
    completed_at timestamptz,
    lease_owner text,
    next_attempt_at timestamptz DEFAULT now(),
    CONSTRAINT erasures_state_check CHECK (state IN ('running', 'completed'))
  )`,
  'CREATE UNIQUE INDEX erasures_user_id_key ON erasures (user_id)',
  'CREATE INDEX erasures_next_attempt_at ON erasures (next_attempt_at) WHERE next_attempt_at IS NOT NULL',
  `CREATE TABLE model_usage (
    id uuid CONSTRAINT model_usage_pkey PRIMARY KEY,
    user_id integer CONSTRAINT model_usage_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    purpose text NOT NULL,
    turn_id uuid,
    workflow_id uuid,
    run_id uuid,
    model_id integer NOT NULL,
    model text NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL DEFAULT 0,
    cost numeric(20,10),
    currency text NOT NULL,
    duration_ms integer NOT NULL,
    outcome text NOT NULL,
    error_code text,
    is_estimate boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    CONSTRAINT model_usage_outcome_check CHECK (outcome IN ('completed', 'failed', 'aborted', 'timeout'))
  )`,
  'CREATE INDEX model_usage_user_created ON model_usage (user_id, created_at)',
  'CREATE INDEX model_usage_created ON model_usage (created_at)',
  `CREATE TABLE kept_totals (
    kind text,
    key text,
    part text,
    value bigint NOT NULL,
    CONSTRAINT kept_totals_pkey PRIMARY KEY (kind, key, part)
  )`,
  'CREATE INDEX kept_totals_empty ON kept_totals (kind) WHERE value = 0',
  `CREATE TABLE kept_total_changes (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT kept_total_changes_pkey PRIMARY KEY,
    kind text NOT NULL,
    key text NOT NULL,
    part text NOT NULL,
    change bigint NOT NULL
  )`,
  'CREATE INDEX kept_total_changes_key ON kept_total_changes (kind, key)',
  // Nothing is changed or removed, but for what is personal: an erasure takes it out, and the chain still holds.
  auditEventsAreFinal,
  `CREATE TRIGGER audit_events_final BEFORE UPDATE OR DELETE ON audit_events
    FOR EACH ROW EXECUTE FUNCTION audit_events_are_final()`,
  `CREATE TRIGGER audit_events_kept BEFORE TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION audit_events_are_final()`,
];
