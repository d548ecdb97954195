import { workflowAdoptOutput } from '../../functions/workflow-adopt-output.js';
import { workflowReleaseOutput } from '../../functions/workflow-release-output.js';
import { workflowScheduleRunEnded } from '../../functions/workflow-schedule-run-ended.js';
import { workflowScheduleRunStarted } from '../../functions/workflow-schedule-run-started.js';

/** Runs and their schedules: libs/workflows. */
export const runs: readonly string[] = [
  `CREATE TABLE workflow_runs (
    id uuid CONSTRAINT workflow_runs_pkey PRIMARY KEY,
    workflow_id uuid NOT NULL CONSTRAINT workflow_runs_workflow_id_fkey REFERENCES workflows (id) ON DELETE CASCADE,
    version integer NOT NULL,
    content_revision integer NOT NULL,
    status text NOT NULL,
    trigger text NOT NULL,
    triggered_by_id integer CONSTRAINT workflow_runs_triggered_by_id_fkey REFERENCES users (id) ON DELETE SET NULL,
    queue_request_id uuid,
    parent_version integer,
    start_node_id text,
    run_to_the_end boolean NOT NULL DEFAULT true,
    save_outputs boolean NOT NULL DEFAULT true,
    payload jsonb,
    correlation_id text,
    fence integer NOT NULL DEFAULT 0,
    lost_leases integer NOT NULL DEFAULT 0,
    lease_owner text,
    lease_expires_at timestamptz,
    wake_at timestamptz,
    error jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    is_concurrent boolean NOT NULL DEFAULT false,
    schedule_id uuid,
    parent_run_id uuid CONSTRAINT workflow_runs_parent_run_id_fkey REFERENCES workflow_runs (id) ON DELETE CASCADE,
    parent_node_id text,
    parent_key text,
    tokens bigint NOT NULL DEFAULT 0,
    spend numeric(18,6) NOT NULL DEFAULT 0,
    expires_at timestamptz,
    CONSTRAINT workflow_runs_status_check CHECK (status IN ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED')),
    CONSTRAINT workflow_runs_trigger_check CHECK (trigger IN ('manual', 'webhook', 'schedule', 'branch', 'agent', 'api')),
    CONSTRAINT workflow_runs_lease_check CHECK (((lease_owner IS NULL) = (lease_expires_at IS NULL))
      AND ((lease_owner IS NULL) OR (status = 'RUNNING'))),
    CONSTRAINT workflow_runs_parent_check CHECK (((parent_run_id IS NULL) = (parent_node_id IS NULL))
      AND ((parent_run_id IS NULL) = (parent_key IS NULL)) AND ((parent_run_id IS NULL) OR is_concurrent))
  ) WITH (fillfactor = 80)`,
  'CREATE UNIQUE INDEX workflow_runs_workflow_version_key ON workflow_runs (workflow_id, version)',
  `CREATE UNIQUE INDEX workflow_runs_active ON workflow_runs (workflow_id) WHERE status IN ('PENDING', 'RUNNING')
    AND NOT is_concurrent`,
  `CREATE INDEX workflow_runs_active_concurrent ON workflow_runs (workflow_id) WHERE status IN ('PENDING', 'RUNNING')
    AND is_concurrent`,
  'CREATE INDEX workflow_runs_parent ON workflow_runs (parent_run_id) WHERE parent_run_id IS NOT NULL',
  `CREATE INDEX workflow_runs_active_schedule ON workflow_runs (schedule_id) WHERE schedule_id IS NOT NULL
    AND status IN ('PENDING', 'RUNNING')`,
  'CREATE INDEX workflow_runs_triggered_by_id ON workflow_runs (triggered_by_id) WHERE triggered_by_id IS NOT NULL',
  // Bodies of loops that may go, without the runs that other workflows started.
  `CREATE INDEX workflow_runs_ended_bodies ON workflow_runs (finished_at) WHERE parent_key LIKE 'body:%'
    AND status = 'COMPLETED'`,
  `CREATE TABLE workflow_run_nodes (
    run_id uuid CONSTRAINT workflow_run_nodes_run_id_fkey REFERENCES workflow_runs (id) ON DELETE CASCADE,
    node_id text,
    status text NOT NULL,
    attempt integer NOT NULL DEFAULT 0,
    output jsonb,
    chosen jsonb,
    error jsonb,
    handled boolean NOT NULL DEFAULT false,
    waiting jsonb,
    warnings jsonb NOT NULL DEFAULT '[]',
    started_at timestamptz,
    finished_at timestamptz,
    batch_total integer,
    batch_completed integer NOT NULL DEFAULT 0,
    usage jsonb,
    CONSTRAINT workflow_run_nodes_pkey PRIMARY KEY (run_id, node_id),
    CONSTRAINT workflow_run_nodes_status_check CHECK (status IN ('PENDING', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED',
      'SKIPPED', 'STOPPED'))
  )`,
  `CREATE TABLE workflow_run_items (
    run_id uuid CONSTRAINT workflow_run_items_run_id_fkey REFERENCES workflow_runs (id) ON DELETE CASCADE,
    node_id text,
    item_index integer,
    status text NOT NULL,
    round integer NOT NULL DEFAULT 0,
    output jsonb,
    error jsonb,
    CONSTRAINT workflow_run_items_pkey PRIMARY KEY (run_id, node_id, item_index),
    CONSTRAINT workflow_run_items_status_check CHECK (status IN ('STARTED', 'COMPLETED', 'FAILED', 'LOST'))
  )`,
  `CREATE TABLE workflow_outputs (
    id uuid CONSTRAINT workflow_outputs_pkey PRIMARY KEY,
    workflow_id uuid NOT NULL CONSTRAINT workflow_outputs_workflow_id_fkey REFERENCES workflows (id) ON DELETE CASCADE,
    run_id uuid NOT NULL CONSTRAINT workflow_outputs_run_id_fkey REFERENCES workflow_runs (id) ON DELETE CASCADE,
    node_id text NOT NULL,
    node_name text NOT NULL,
    kind text NOT NULL,
    type text NOT NULL,
    value jsonb,
    size_bytes integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    title text NOT NULL DEFAULT '',
    media_path text,
    mime_type text NOT NULL DEFAULT 'application/json',
    mgid text,
    artifact_id text,
    table_id text,
    CONSTRAINT workflow_outputs_type_check CHECK (type IN ('text', 'json', 'file', 'table', 'chart', 'artifact'))
  )`,
  'CREATE INDEX workflow_outputs_workflow_created ON workflow_outputs (workflow_id, created_at DESC)',
  'CREATE UNIQUE INDEX workflow_outputs_run_node_key ON workflow_outputs (run_id, node_id)',
  `CREATE TABLE workflow_stored_outputs (
    run_id uuid CONSTRAINT workflow_stored_outputs_run_id_fkey REFERENCES workflow_runs (id) ON DELETE CASCADE,
    node_id text,
    storage_key text NOT NULL,
    size_bytes bigint NOT NULL,
    sha256 text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT workflow_stored_outputs_pkey PRIMARY KEY (run_id, node_id)
  )`,
  'CREATE INDEX workflow_stored_outputs_key ON workflow_stored_outputs (storage_key)',
  `CREATE TABLE workflow_signals (
    run_id uuid CONSTRAINT workflow_signals_run_id_fkey REFERENCES workflow_runs (id) ON DELETE CASCADE,
    node_id text,
    wait_id text,
    value jsonb,
    answered_by_id integer CONSTRAINT workflow_signals_answered_by_id_fkey REFERENCES users (id) ON DELETE SET NULL,
    consumed boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT workflow_signals_pkey PRIMARY KEY (run_id, node_id, wait_id)
  )`,
  'CREATE INDEX workflow_signals_unconsumed ON workflow_signals (run_id) WHERE NOT consumed',
  `CREATE INDEX workflow_signals_client_message ON workflow_signals (answered_by_id, (value ->> 'clientMessageId'))
    WHERE answered_by_id IS NOT NULL`,
  `CREATE TABLE workflow_schedules (
    id uuid CONSTRAINT workflow_schedules_pkey PRIMARY KEY,
    workflow_id uuid NOT NULL CONSTRAINT workflow_schedules_workflow_id_fkey REFERENCES workflows (id) ON DELETE CASCADE,
    name text NOT NULL,
    kind text NOT NULL,
    cron text,
    interval_minutes integer,
    run_at timestamptz,
    timezone text NOT NULL,
    payload jsonb NOT NULL DEFAULT '{}',
    enabled boolean NOT NULL,
    state text NOT NULL,
    overlap_policy text NOT NULL,
    catchup_window_seconds integer NOT NULL,
    jitter_seconds integer NOT NULL,
    start_at timestamptz,
    end_at timestamptz,
    anchor_at timestamptz NOT NULL,
    next_run_at timestamptz,
    due_at timestamptz,
    claimed_until timestamptz,
    last_run_at timestamptz,
    last_run_version integer,
    last_status text,
    last_error text NOT NULL DEFAULT '',
    missed_count integer NOT NULL DEFAULT 0,
    failure_streak integer NOT NULL DEFAULT 0,
    pause_after_failures integer,
    version integer NOT NULL DEFAULT 1,
    created_by_id integer CONSTRAINT workflow_schedules_created_by_id_fkey REFERENCES users (id) ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT workflow_schedules_kind_check CHECK (kind IN ('cron', 'interval', 'once')),
    CONSTRAINT workflow_schedules_state_check CHECK (state IN ('active', 'paused', 'completed', 'error')),
    CONSTRAINT workflow_schedules_policy_check CHECK (overlap_policy IN ('skip', 'queue_one', 'queue_all', 'allow')),
    CONSTRAINT workflow_schedules_due_check CHECK ((next_run_at IS NULL) = (due_at IS NULL))
  ) WITH (fillfactor = 60)`,
  'CREATE INDEX workflow_schedules_workflow_created ON workflow_schedules (workflow_id, created_at)',
  'CREATE INDEX workflow_schedules_created_by_id ON workflow_schedules (created_by_id) WHERE created_by_id IS NOT NULL',
  'CREATE INDEX workflow_schedules_due ON workflow_schedules (due_at) WHERE due_at IS NOT NULL',
  `CREATE TABLE workflow_schedule_slots (
    schedule_id uuid CONSTRAINT workflow_schedule_slots_schedule_id_fkey REFERENCES workflow_schedules (id)
      ON DELETE CASCADE,
    slot_time timestamptz,
    outcome text NOT NULL,
    source text NOT NULL,
    started_id uuid NOT NULL,
    fired_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT workflow_schedule_slots_pkey PRIMARY KEY (schedule_id, slot_time),
    CONSTRAINT workflow_schedule_slots_outcome_check CHECK (outcome IN ('started', 'queued', 'skipped')),
    CONSTRAINT workflow_schedule_slots_source_check CHECK (source IN ('due', 'run', 'backfill'))
  )`,
  'CREATE INDEX workflow_schedule_slots_fired_at ON workflow_schedule_slots (fired_at)',
  // The row of a node whose output is too large for it holds `{"$stored": {key, size, sha256, preview}}`. Whoever writes,
  // copies or deletes such rows keeps workflow_stored_outputs in step, so that a file belongs to a run or is loose.
  workflowAdoptOutput,
  `CREATE TRIGGER workflow_run_nodes_adopt_output AFTER INSERT OR UPDATE OF output ON workflow_run_nodes
    FOR EACH ROW WHEN (NEW.output ? '$stored') EXECUTE FUNCTION workflow_adopt_output()`,
  workflowReleaseOutput,
  `CREATE TRIGGER workflow_stored_outputs_release AFTER DELETE ON workflow_stored_outputs
    FOR EACH ROW EXECUTE FUNCTION workflow_release_output()`,
  // What a run does to its schedule, whoever starts and ends it.
  workflowScheduleRunStarted,
  `CREATE TRIGGER workflow_runs_schedule_started AFTER INSERT ON workflow_runs
    FOR EACH ROW WHEN (NEW.schedule_id IS NOT NULL) EXECUTE FUNCTION workflow_schedule_run_started()`,
  workflowScheduleRunEnded,
  `CREATE TRIGGER workflow_runs_schedule_ended AFTER UPDATE OF status ON workflow_runs
    FOR EACH ROW WHEN (NEW.schedule_id IS NOT NULL AND OLD.status IN ('PENDING', 'RUNNING')
      AND NEW.status NOT IN ('PENDING', 'RUNNING')) EXECUTE FUNCTION workflow_schedule_run_ended()`,
];
