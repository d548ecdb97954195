import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Workflows1763700000500 implements MigrationInterface {
  name = 'Workflows1763700000500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workflows (
        id uuid CONSTRAINT workflows_pkey PRIMARY KEY,
        owner_id integer NOT NULL,
        name text NOT NULL,
        subtitle text,
        description text,
        summary text,
        instructions jsonb NOT NULL DEFAULT '[]',
        available_as_app boolean NOT NULL DEFAULT false,
        csv_dashboard boolean NOT NULL DEFAULT false,
        run_only boolean NOT NULL DEFAULT false,
        chatbot_app boolean NOT NULL DEFAULT false,
        content_revision integer NOT NULL DEFAULT 1,
        last_edited_by_id integer,
        last_edited_at timestamptz,
        current_run_id uuid,
        current_run_version integer NOT NULL DEFAULT 0,
        successful_run_count integer NOT NULL DEFAULT 0,
        pending_requests integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        deleted_at timestamptz,
        purge_at timestamptz,
        CONSTRAINT workflows_trash_check CHECK ((deleted_at IS NULL) = (purge_at IS NULL)),
        CONSTRAINT workflows_pending_requests_check CHECK (pending_requests >= 0),
        CONSTRAINT workflows_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT workflows_last_edited_by_id_fkey FOREIGN KEY (last_edited_by_id) REFERENCES users (id) ON DELETE SET NULL
      ) WITH (fillfactor = 60)`);
    await runner.query('CREATE INDEX workflows_owner_created ON workflows (owner_id, created_at DESC)');
    await runner.query('CREATE INDEX workflows_purge_at ON workflows (purge_at) WHERE purge_at IS NOT NULL');

    await runner.query(`
      CREATE TABLE workflow_revisions (
        workflow_id uuid NOT NULL,
        content_revision integer NOT NULL,
        name text NOT NULL,
        json_spec jsonb NOT NULL,
        vueflow_json jsonb NOT NULL DEFAULT '{}',
        created_by_id integer,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT workflow_revisions_pkey PRIMARY KEY (workflow_id, content_revision),
        CONSTRAINT workflow_revisions_created_by_id_fkey FOREIGN KEY (created_by_id) REFERENCES users (id) ON DELETE SET NULL,
        CONSTRAINT workflow_revisions_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows (id) ON DELETE CASCADE
      )`);

    await runner.query(`
      CREATE TABLE workflow_collaborators (
        workflow_id uuid NOT NULL,
        user_id integer NOT NULL,
        role text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT workflow_collaborators_pkey PRIMARY KEY (workflow_id, user_id),
        CONSTRAINT workflow_collaborators_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT workflow_collaborators_role_check CHECK (role IN ('editor', 'viewer')),
        CONSTRAINT workflow_collaborators_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows (id) ON DELETE CASCADE
      )`);
    await runner.query('CREATE INDEX workflow_collaborators_user_id ON workflow_collaborators (user_id)');

    await runner.query(`
      CREATE TABLE workflow_webhooks (
        webhook_id uuid CONSTRAINT workflow_webhooks_pkey PRIMARY KEY,
        workflow_id uuid NOT NULL,
        node_id text,
        secret_sealed text NOT NULL,
        secret_mac bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT workflow_webhooks_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows (id) ON DELETE CASCADE
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX workflow_webhooks_workflow_node ON workflow_webhooks (workflow_id, node_id) NULLS NOT DISTINCT',
    );

    await runner.query('CREATE SEQUENCE workflow_requests_seq');
    await runner.query(`
      CREATE TABLE workflow_requests (
        id uuid CONSTRAINT workflow_requests_pkey PRIMARY KEY,
        workflow_id uuid NOT NULL,
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
        CONSTRAINT workflow_requests_status_check CHECK (status IN ('pending', 'running', 'done', 'failed', 'cancelled')),
        CONSTRAINT workflow_requests_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows (id) ON DELETE CASCADE
      ) WITH (fillfactor = 80)`);
    await runner.query('CREATE UNIQUE INDEX workflow_requests_seq_key ON workflow_requests (seq)');
    await runner.query(
      `CREATE INDEX workflow_requests_pending ON workflow_requests (workflow_id, seq) WHERE status = 'pending'`,
    );
    await runner.query(
      'CREATE INDEX workflow_requests_workflow_queued ON workflow_requests (workflow_id, queued_at DESC)',
    );
    await runner.query(
      `CREATE UNIQUE INDEX workflow_requests_idempotency_key ON workflow_requests (workflow_id, idempotency_key)
       WHERE idempotency_key IS NOT NULL`,
    );

    await runner.query(`
      CREATE TABLE workflow_runs (
        id uuid CONSTRAINT workflow_runs_pkey PRIMARY KEY,
        workflow_id uuid NOT NULL,
        version integer NOT NULL,
        content_revision integer NOT NULL,
        status text NOT NULL,
        trigger text NOT NULL,
        triggered_by_id integer,
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
        CONSTRAINT workflow_runs_status_check CHECK (status IN ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED')),
        CONSTRAINT workflow_runs_trigger_check CHECK (trigger IN ('manual', 'webhook', 'schedule', 'branch', 'agent', 'api')),
        CONSTRAINT workflow_runs_lease_check CHECK ((lease_owner IS NULL) = (lease_expires_at IS NULL)
          AND (lease_owner IS NULL OR status = 'RUNNING')),
        CONSTRAINT workflow_runs_triggered_by_id_fkey FOREIGN KEY (triggered_by_id) REFERENCES users (id) ON DELETE SET NULL,
        CONSTRAINT workflow_runs_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows (id) ON DELETE CASCADE
      ) WITH (fillfactor = 80)`);
    await runner.query(
      'CREATE UNIQUE INDEX workflow_runs_workflow_version_key ON workflow_runs (workflow_id, version)',
    );
    await runner.query(
      `CREATE UNIQUE INDEX workflow_runs_active ON workflow_runs (workflow_id) WHERE status IN ('PENDING', 'RUNNING')`,
    );

    await runner.query(`
      CREATE TABLE workflow_run_nodes (
        run_id uuid NOT NULL,
        node_id text NOT NULL,
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
        CONSTRAINT workflow_run_nodes_pkey PRIMARY KEY (run_id, node_id),
        CONSTRAINT workflow_run_nodes_status_check CHECK (status IN ('PENDING', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'SKIPPED', 'STOPPED')),
        CONSTRAINT workflow_run_nodes_run_id_fkey FOREIGN KEY (run_id) REFERENCES workflow_runs (id) ON DELETE CASCADE
      )`);

    await runner.query(`
      CREATE TABLE workflow_outputs (
        id uuid CONSTRAINT workflow_outputs_pkey PRIMARY KEY,
        workflow_id uuid NOT NULL,
        run_id uuid NOT NULL,
        node_id text NOT NULL,
        node_name text NOT NULL,
        kind text NOT NULL,
        type text NOT NULL,
        value jsonb,
        size_bytes integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT workflow_outputs_type_check CHECK (type IN ('text', 'json', 'file', 'table', 'chart', 'artifact')),
        CONSTRAINT workflow_outputs_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows (id) ON DELETE CASCADE,
        CONSTRAINT workflow_outputs_run_id_fkey FOREIGN KEY (run_id) REFERENCES workflow_runs (id) ON DELETE CASCADE
      )`);
    await runner.query(
      'CREATE INDEX workflow_outputs_workflow_created ON workflow_outputs (workflow_id, created_at DESC)',
    );
    await runner.query('CREATE UNIQUE INDEX workflow_outputs_run_node_key ON workflow_outputs (run_id, node_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['outputs', 'run_nodes', 'runs', 'requests', 'webhooks', 'collaborators', 'revisions'])
      await runner.query(`DROP TABLE workflow_${table}`);
    await runner.query('DROP TABLE workflows');
    await runner.query('DROP SEQUENCE workflow_requests_seq');
  }
}
