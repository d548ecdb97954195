import { countEndedRequests } from '../../functions/count-ended-requests.js';

/** Calls by webhook, and who may call: libs/workflows. */
export const webhooks: readonly string[] = [
  'CREATE SEQUENCE workflow_requests_seq',
  `CREATE TABLE workflow_webhooks (
    webhook_id uuid CONSTRAINT workflow_webhooks_pkey PRIMARY KEY,
    workflow_id uuid NOT NULL CONSTRAINT workflow_webhooks_workflow_id_fkey REFERENCES workflows (id) ON DELETE CASCADE,
    node_id text,
    secret_sealed text NOT NULL,
    secret_mac bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  'CREATE UNIQUE INDEX workflow_webhooks_workflow_node ON workflow_webhooks (workflow_id, node_id) NULLS NOT DISTINCT',
  `CREATE TABLE workflow_webhook_keys (
    id uuid CONSTRAINT workflow_webhook_keys_pkey PRIMARY KEY,
    webhook_id uuid NOT NULL CONSTRAINT workflow_webhook_keys_webhook_id_fkey REFERENCES workflow_webhooks (webhook_id)
      ON DELETE CASCADE,
    kind text NOT NULL,
    key_sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    CONSTRAINT workflow_webhook_keys_kind_check CHECK (kind IN ('secret', 'signing')),
    CONSTRAINT workflow_webhook_keys_expiry_check CHECK (kind = 'signing' OR expires_at IS NOT NULL)
  )`,
  'CREATE INDEX workflow_webhook_keys_webhook ON workflow_webhook_keys (webhook_id)',
  `CREATE UNIQUE INDEX workflow_webhook_keys_signing ON workflow_webhook_keys (webhook_id) WHERE kind = 'signing'
    AND expires_at IS NULL`,
  `CREATE TABLE workflow_webhook_receivers (
    webhook_id uuid CONSTRAINT workflow_webhook_receivers_pkey PRIMARY KEY
      CONSTRAINT workflow_webhook_receivers_webhook_id_fkey REFERENCES workflow_webhooks (webhook_id)
      ON DELETE CASCADE,
    scheme text NOT NULL,
    challenge text NOT NULL,
    settings_sealed bytea NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE workflow_webhook_urls (
    id uuid CONSTRAINT workflow_webhook_urls_pkey PRIMARY KEY,
    webhook_id uuid NOT NULL CONSTRAINT workflow_webhook_urls_webhook_id_fkey
      REFERENCES workflow_webhook_receivers (webhook_id) ON DELETE CASCADE,
    token_hash bytea NOT NULL,
    token_sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz
  )`,
  // The token is 256 random bits, so a plain hash of it is enough to find the row by.
  'CREATE UNIQUE INDEX workflow_webhook_urls_token_hash_key ON workflow_webhook_urls (token_hash)',
  'CREATE INDEX workflow_webhook_urls_webhook ON workflow_webhook_urls (webhook_id)',
  'CREATE UNIQUE INDEX workflow_webhook_urls_current ON workflow_webhook_urls (webhook_id) WHERE expires_at IS NULL',
  `CREATE TABLE workflow_requests (
    id uuid CONSTRAINT workflow_requests_pkey PRIMARY KEY,
    workflow_id uuid NOT NULL CONSTRAINT workflow_requests_workflow_id_fkey REFERENCES workflows (id) ON DELETE CASCADE,
    seq bigint NOT NULL DEFAULT nextval('workflow_requests_seq'),
    status text NOT NULL,
    payload jsonb,
    file_urls text[] NOT NULL DEFAULT '{}',
    start_node_id text,
    run_to_the_end boolean NOT NULL DEFAULT true,
    idempotency_key text,
    run_version integer,
    detail text NOT NULL DEFAULT '',
    correlation_id text,
    queued_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    awaiting_approval boolean NOT NULL DEFAULT false,
    schedule_id uuid,
    approved_at timestamptz,
    awaiting_files boolean NOT NULL DEFAULT false,
    CONSTRAINT workflow_requests_status_check CHECK (status IN ('pending', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT workflow_requests_approval_check CHECK (NOT awaiting_approval OR status IN ('pending', 'cancelled')),
    CONSTRAINT workflow_requests_files_check CHECK (NOT awaiting_files OR status IN ('pending', 'cancelled'))
  ) WITH (fillfactor = 80)`,
  'CREATE UNIQUE INDEX workflow_requests_seq_key ON workflow_requests (seq)',
  `CREATE UNIQUE INDEX workflow_requests_idempotency_key ON workflow_requests (workflow_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL`,
  `CREATE INDEX workflow_requests_waiting_schedule ON workflow_requests (schedule_id) WHERE schedule_id IS NOT NULL
    AND status = 'pending'`,
  'CREATE INDEX workflow_requests_workflow_seq ON workflow_requests (workflow_id, seq)',
  // Nearly free for the writers, and good enough for a sweeper.
  'CREATE INDEX workflow_requests_queued_at ON workflow_requests USING brin (queued_at)',
  // What waits and runs, in order: with what came to an end long ago, this does not grow.
  `CREATE INDEX workflow_requests_active ON workflow_requests (workflow_id, status, seq)
    WHERE status IN ('pending', 'running')`,
  // What ended last.
  `CREATE INDEX workflow_requests_ended ON workflow_requests (workflow_id, finished_at DESC, seq DESC)
    WHERE status NOT IN ('pending', 'running')`,
  `CREATE TABLE workflow_request_files (
    request_id uuid CONSTRAINT workflow_request_files_request_id_fkey REFERENCES workflow_requests (id) ON DELETE CASCADE,
    position integer,
    url text NOT NULL,
    state text NOT NULL,
    filename text,
    document_uid uuid,
    mime_type text,
    size_bytes bigint,
    error text,
    tries integer NOT NULL DEFAULT 0,
    CONSTRAINT workflow_request_files_pkey PRIMARY KEY (request_id, "position"),
    CONSTRAINT workflow_request_files_state_check CHECK (state IN ('pending', 'stored', 'failed', 'skipped'))
  )`,
  `CREATE TABLE workflow_request_fetches (
    request_id uuid CONSTRAINT workflow_request_fetches_pkey PRIMARY KEY
      CONSTRAINT workflow_request_fetches_request_id_fkey REFERENCES workflow_requests (id) ON DELETE CASCADE,
    fence integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz DEFAULT now(),
    leased_until timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    lease_owner text,
    last_error text NOT NULL DEFAULT ''
  )`,
  `CREATE INDEX workflow_request_fetches_next_attempt_at ON workflow_request_fetches (next_attempt_at)
    WHERE next_attempt_at IS NOT NULL`,
  `CREATE TABLE workflow_responses (
    request_id uuid CONSTRAINT workflow_responses_pkey PRIMARY KEY CONSTRAINT workflow_responses_request_id_fkey
      REFERENCES workflow_requests (id) ON DELETE CASCADE,
    run_version integer NOT NULL,
    answered_by text NOT NULL,
    status integer NOT NULL,
    headers jsonb NOT NULL,
    body bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT workflow_responses_status_check CHECK (status >= 200 AND status <= 599)
  )`,
  countEndedRequests,
  `CREATE TRIGGER workflow_requests_ended_at_once AFTER INSERT ON workflow_requests
    FOR EACH ROW WHEN (NEW.status NOT IN ('pending', 'running')) EXECUTE FUNCTION count_ended_requests()`,
  `CREATE TRIGGER workflow_requests_ended AFTER UPDATE OF status, workflow_id ON workflow_requests
    FOR EACH ROW WHEN ((OLD.status, OLD.workflow_id) IS DISTINCT FROM (NEW.status, NEW.workflow_id)
      AND (OLD.status NOT IN ('pending', 'running') OR NEW.status NOT IN ('pending', 'running')))
    EXECUTE FUNCTION count_ended_requests()`,
  `CREATE TRIGGER workflow_requests_forgotten AFTER DELETE ON workflow_requests REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_ended_requests()`,
];
