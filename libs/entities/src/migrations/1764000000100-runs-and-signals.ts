import type { MigrationInterface, QueryRunner } from 'typeorm';
import { WorkflowFunctions1763700000510 } from './1763700000510-workflow-functions.js';

const ACTIVE = `status IN ('PENDING', 'RUNNING')`;

/**
 * Runs beside the workflow's current one (sub-workflows, overlapping schedules), signals that wake a waiting node,
 * published revisions and calls that wait for approval. The rules of 1763700000510 hold on; two are added:
 * - who starts a child run locks the child's workflow and then shares its parent's row, so that a stop of the parent
 *   either sees the child or keeps it from starting;
 * - the end of a child writes a signal and never locks its parent, whose worker finds it there.
 */
export class RunsAndSignals1764000000100 implements MigrationInterface {
  name = 'RunsAndSignals1764000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workflows
        ADD published_revision integer,
        ADD requires_approval boolean NOT NULL DEFAULT false`);
    await runner.query(`
      ALTER TABLE workflow_requests
        ADD awaiting_approval boolean NOT NULL DEFAULT false,
        ADD schedule_id uuid,
        ADD CONSTRAINT workflow_requests_approval_check CHECK (NOT awaiting_approval OR status IN ('pending', 'cancelled'))`);
    await runner.query(`
      ALTER TABLE workflow_runs
        ADD is_concurrent boolean NOT NULL DEFAULT false,
        ADD schedule_id uuid,
        ADD parent_run_id uuid,
        ADD parent_node_id text,
        ADD parent_key text,
        ADD tokens bigint NOT NULL DEFAULT 0,
        ADD spend numeric(18, 6) NOT NULL DEFAULT 0,
        ADD expires_at timestamptz,
        ADD CONSTRAINT workflow_runs_parent_run_id_fkey FOREIGN KEY (parent_run_id) REFERENCES workflow_runs (id) ON DELETE CASCADE,
        ADD CONSTRAINT workflow_runs_parent_check CHECK ((parent_run_id IS NULL) = (parent_node_id IS NULL)
          AND (parent_run_id IS NULL) = (parent_key IS NULL) AND (parent_run_id IS NULL OR is_concurrent))`);
    await runner.query('DROP INDEX workflow_runs_active');
    await runner.query(
      `CREATE UNIQUE INDEX workflow_runs_active ON workflow_runs (workflow_id) WHERE ${ACTIVE} AND NOT is_concurrent`,
    );
    await runner.query(
      `CREATE INDEX workflow_runs_active_concurrent ON workflow_runs (workflow_id) WHERE ${ACTIVE} AND is_concurrent`,
    );
    await runner.query(
      'CREATE INDEX workflow_runs_parent ON workflow_runs (parent_run_id) WHERE parent_run_id IS NOT NULL',
    );
    await runner.query(`
      CREATE TABLE workflow_signals (
        run_id uuid NOT NULL,
        node_id text NOT NULL,
        wait_id text NOT NULL,
        value jsonb,
        answered_by_id integer,
        consumed boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT workflow_signals_pkey PRIMARY KEY (run_id, node_id, wait_id),
        CONSTRAINT workflow_signals_run_id_fkey FOREIGN KEY (run_id) REFERENCES workflow_runs (id) ON DELETE CASCADE,
        CONSTRAINT workflow_signals_answered_by_id_fkey FOREIGN KEY (answered_by_id) REFERENCES users (id) ON DELETE SET NULL
      )`);
    await runner.query('CREATE INDEX workflow_signals_unconsumed ON workflow_signals (run_id) WHERE NOT consumed');

    for (const name of ['finish_run', 'stop', 'rerun', 'create_run'])
      await runner.query(`DROP FUNCTION workflow_${name}`);

    // A node's \`consumed\` names the waits whose signals this state has taken in.
    await runner.query(`
      CREATE OR REPLACE FUNCTION workflow_write_nodes(p_run uuid, p_nodes jsonb) RETURNS void
      LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO workflow_run_nodes AS known (run_id, node_id, status, attempt, output, chosen, error, handled,
          waiting, warnings, started_at, finished_at, batch_total, batch_completed)
        SELECT p_run, n."nodeId", n.status, n.attempt, nullif(n.output, 'null'), nullif(n.chosen, 'null'),
          nullif(n.error, 'null'), n.handled, nullif(n.waiting, 'null'), n.warnings,
          to_timestamp(n."startedAt" / 1000.0), to_timestamp(n."finishedAt" / 1000.0), n."batchTotal", n."batchCompleted"
        FROM jsonb_to_recordset(p_nodes) AS n("nodeId" text, status text, attempt integer, output jsonb, chosen jsonb,
          error jsonb, handled boolean, waiting jsonb, warnings jsonb, "startedAt" double precision,
          "finishedAt" double precision, "batchTotal" integer, "batchCompleted" integer)
        ON CONFLICT (run_id, node_id) DO UPDATE SET status = excluded.status, attempt = excluded.attempt,
          output = excluded.output, chosen = excluded.chosen, error = excluded.error, handled = excluded.handled,
          waiting = excluded.waiting, warnings = excluded.warnings, started_at = excluded.started_at,
          finished_at = excluded.finished_at, batch_total = excluded.batch_total,
          batch_completed = excluded.batch_completed;
        IF p_nodes @? '$[*].consumed' THEN
          UPDATE workflow_signals s SET consumed = true
          FROM jsonb_to_recordset(p_nodes) AS n("nodeId" text, consumed jsonb)
          WHERE s.run_id = p_run AND s.node_id = n."nodeId" AND n.consumed ? s.wait_id AND NOT s.consumed;
        END IF;
      END $$`);

    // p_origin: trigger, userId, requestId, scheduleId, parentRunId, parentNodeId, parentKey, parentVersion,
    // contentRevision, isConcurrent, reuse (nodes whose rows are copied from parentVersion); all but trigger optional.
    // The caller holds the workflow's row. With a worker the run is born claimed, else it waits for its bell.
    await runner.query(`
      CREATE FUNCTION workflow_create_run(p_workflow uuid, p_run uuid, p_origin jsonb, p_payload jsonb,
        p_start_node text, p_run_to_the_end boolean, p_save_outputs boolean, p_correlation text,
        p_worker text, p_lease_seconds integer) RETURNS workflow_runs
      LANGUAGE plpgsql AS $$
      DECLARE
        v_trigger text := p_origin->>'trigger';
        v_concurrent boolean := coalesce((p_origin->>'isConcurrent')::boolean, false);
        v_parent integer := (p_origin->>'parentVersion')::integer;
        v_workflow workflows;
        v_run workflow_runs;
      BEGIN
        IF p_start_node IS NOT NULL AND v_parent IS NULL THEN
          SELECT r.version INTO v_parent FROM workflows w JOIN workflow_runs r ON r.id = w.current_run_id
          WHERE w.id = p_workflow;
        END IF;
        UPDATE workflows SET current_run_version = current_run_version + 1,
          current_run_id = CASE WHEN v_concurrent THEN current_run_id ELSE p_run END
        WHERE id = p_workflow RETURNING * INTO v_workflow;
        INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, triggered_by_id,
          queue_request_id, schedule_id, parent_run_id, parent_node_id, parent_key, parent_version, is_concurrent,
          start_node_id, run_to_the_end, save_outputs, payload, correlation_id, fence, lease_owner, lease_expires_at,
          started_at)
        VALUES (p_run, p_workflow, v_workflow.current_run_version,
          coalesce((p_origin->>'contentRevision')::integer,
            CASE WHEN v_trigger IN ('webhook', 'schedule') THEN v_workflow.published_revision END,
            v_workflow.content_revision),
          CASE WHEN p_worker IS NULL THEN 'PENDING' ELSE 'RUNNING' END, v_trigger, (p_origin->>'userId')::integer,
          (p_origin->>'requestId')::uuid, (p_origin->>'scheduleId')::uuid, (p_origin->>'parentRunId')::uuid,
          p_origin->>'parentNodeId', p_origin->>'parentKey', v_parent, v_concurrent,
          p_start_node, p_run_to_the_end, p_save_outputs, p_payload, p_correlation,
          CASE WHEN p_worker IS NULL THEN 0 ELSE 1 END, p_worker,
          CASE WHEN p_worker IS NOT NULL THEN now() + p_lease_seconds * interval '1 second' END,
          CASE WHEN p_worker IS NOT NULL THEN now() END)
        RETURNING * INTO v_run;
        IF p_origin ? 'reuse' THEN
          INSERT INTO workflow_run_nodes (run_id, node_id, status, attempt, output, chosen, error, handled, waiting,
            warnings, started_at, finished_at, batch_total, batch_completed)
          SELECT p_run, n.node_id, n.status, n.attempt, n.output, n.chosen, n.error, n.handled, n.waiting, n.warnings,
            n.started_at, n.finished_at, n.batch_total, n.batch_completed
          FROM workflow_run_nodes n JOIN workflow_runs r ON r.id = n.run_id
          WHERE r.workflow_id = p_workflow AND r.version = v_parent AND p_origin->'reuse' ? n.node_id;
        END IF;
        RETURN v_run;
      END $$`);

    await runner.query(`
      CREATE OR REPLACE FUNCTION workflow_start_next(p_workflow uuid, p_run uuid, p_worker text,
        p_lease_seconds integer) RETURNS workflow_runs
      LANGUAGE plpgsql AS $$
      DECLARE
        v_request workflow_requests;
        v_run workflow_runs;
      BEGIN
        PERFORM 1 FROM workflow_runs WHERE workflow_id = p_workflow AND ${ACTIVE} AND NOT is_concurrent;
        IF FOUND THEN RETURN NULL; END IF;
        SELECT * INTO v_request FROM workflow_requests
        WHERE workflow_id = p_workflow AND status = 'pending' AND NOT awaiting_approval
        ORDER BY seq LIMIT 1 FOR UPDATE;
        IF NOT FOUND THEN RETURN NULL; END IF;
        v_run := workflow_create_run(p_workflow, p_run, jsonb_build_object(
            'trigger', CASE WHEN v_request.schedule_id IS NULL THEN 'webhook' ELSE 'schedule' END,
            'requestId', v_request.id, 'scheduleId', v_request.schedule_id),
          v_request.payload, v_request.start_node_id, v_request.run_to_the_end, true, v_request.correlation_id, p_worker,
          p_lease_seconds);
        UPDATE workflow_requests SET status = 'running', run_version = v_run.version, started_at = now(),
          finished_at = NULL, detail = '' WHERE id = v_request.id;
        UPDATE workflows SET pending_requests = pending_requests - 1 WHERE id = p_workflow;
        RETURN v_run;
      END $$`);

    // The caller holds the workflow's row, or the run is concurrent. Ends the run and those that it started, whoever
    // works on them; null when it had ended. A parent that goes on learns of it.
    await runner.query(`
      CREATE FUNCTION workflow_stop_run(p_run uuid, p_detail text, p_error jsonb) RETURNS workflow_runs
      LANGUAGE plpgsql AS $$
      DECLARE
        v_run workflow_runs;
        v_child uuid;
      BEGIN
        UPDATE workflow_runs SET status = 'STOPPED', finished_at = now(), lease_owner = NULL, lease_expires_at = NULL,
          wake_at = NULL, error = p_error
        WHERE id = p_run AND ${ACTIVE} RETURNING * INTO v_run;
        IF NOT FOUND THEN RETURN NULL; END IF;
        UPDATE workflow_run_nodes SET status = 'STOPPED', finished_at = now(), waiting = NULL
        WHERE run_id = v_run.id AND status IN ('PENDING', 'RUNNING', 'WAITING');
        UPDATE workflow_requests SET status = 'cancelled', finished_at = now(), detail = p_detail
        WHERE id = v_run.queue_request_id AND status = 'running';
        IF v_run.parent_run_id IS NOT NULL THEN
          INSERT INTO workflow_signals (run_id, node_id, wait_id, value)
          SELECT v_run.parent_run_id, v_run.parent_node_id, v_run.parent_key,
            jsonb_build_object('runId', p_run, 'status', 'STOPPED', 'error', p_error)
          WHERE EXISTS (SELECT 1 FROM workflow_runs WHERE id = v_run.parent_run_id AND ${ACTIVE})
          ON CONFLICT DO NOTHING;
        END IF;
        FOR v_child IN SELECT id FROM workflow_runs WHERE parent_run_id = p_run AND ${ACTIVE} LOOP
          PERFORM workflow_stop_run(v_child, p_detail, p_error);
        END LOOP;
        RETURN v_run;
      END $$`);

    await runner.query(`
      CREATE OR REPLACE FUNCTION workflow_stop_active(p_workflow uuid, p_detail text, p_error jsonb)
      RETURNS workflow_runs
      LANGUAGE plpgsql AS $$
      DECLARE
        v_run uuid;
      BEGIN
        SELECT id INTO v_run FROM workflow_runs WHERE workflow_id = p_workflow AND ${ACTIVE} AND NOT is_concurrent;
        IF NOT FOUND THEN RETURN NULL; END IF;
        RETURN workflow_stop_run(v_run, p_detail, p_error);
      END $$`);

    await runner.query(`
      CREATE OR REPLACE FUNCTION workflow_enqueue(p_workflow uuid, p_request uuid, p_run uuid, p_payload jsonb,
        p_file_urls text[], p_start_node text, p_run_to_the_end boolean, p_idempotency_key text, p_correlation text,
        p_limit integer, p_message jsonb,
        OUT outcome text, OUT request_id uuid, OUT queue_position integer, OUT outbox_id bigint)
      LANGUAGE plpgsql AS $$
      DECLARE
        v_pending integer;
        v_approval boolean;
        v_active boolean;
        v_known workflow_requests;
        v_run workflow_runs;
      BEGIN
        SELECT pending_requests, requires_approval INTO v_pending, v_approval FROM workflows
        WHERE id = p_workflow AND deleted_at IS NULL FOR NO KEY UPDATE;
        IF NOT FOUND THEN outcome := 'gone'; RETURN; END IF;
        IF p_idempotency_key IS NOT NULL THEN
          SELECT * INTO v_known FROM workflow_requests
          WHERE workflow_id = p_workflow AND idempotency_key = p_idempotency_key;
          IF FOUND AND v_known.queued_at > now() - interval '24 hours' THEN
            outcome := 'duplicate';
            request_id := v_known.id;
            queue_position := 0;
            IF v_known.status = 'pending' THEN
              SELECT count(*) INTO queue_position FROM workflow_requests
              WHERE workflow_id = p_workflow AND status = 'pending' AND seq <= v_known.seq;
            END IF;
            RETURN;
          ELSIF FOUND THEN
            UPDATE workflow_requests SET idempotency_key = NULL WHERE id = v_known.id;
          END IF;
        END IF;
        v_active := EXISTS (
            SELECT 1 FROM workflow_runs WHERE workflow_id = p_workflow AND ${ACTIVE} AND NOT is_concurrent)
          OR v_pending > 0 AND EXISTS (
            SELECT 1 FROM workflow_requests
            WHERE workflow_id = p_workflow AND status = 'pending' AND NOT awaiting_approval);
        IF (v_active OR v_approval) AND v_pending >= p_limit THEN
          outcome := 'queue_full';
          queue_position := v_pending;
          RETURN;
        END IF;
        request_id := p_request;
        IF v_active OR v_approval THEN
          INSERT INTO workflow_requests (id, workflow_id, status, payload, file_urls, start_node_id, run_to_the_end,
            idempotency_key, correlation_id, awaiting_approval)
          VALUES (p_request, p_workflow, 'pending', p_payload, p_file_urls, p_start_node, p_run_to_the_end,
            p_idempotency_key, p_correlation, v_approval);
          UPDATE workflows SET pending_requests = pending_requests + 1 WHERE id = p_workflow;
          outcome := 'queued';
          queue_position := v_pending + 1;
          RETURN;
        END IF;
        v_run := workflow_create_run(p_workflow, p_run,
          jsonb_build_object('trigger', 'webhook', 'requestId', p_request), p_payload, p_start_node,
          p_run_to_the_end, true, p_correlation, NULL, 0);
        INSERT INTO workflow_requests (id, workflow_id, status, payload, file_urls, start_node_id, run_to_the_end,
          idempotency_key, correlation_id, run_version, started_at)
        VALUES (p_request, p_workflow, 'running', p_payload, p_file_urls, p_start_node, p_run_to_the_end,
          p_idempotency_key, p_correlation, v_run.version, now());
        outcome := 'started';
        queue_position := 0;
        outbox_id := workflow_ring(p_message, 3);
      END $$`);

    // Any start but a webhook call's. outcome: started; gone; active (p_supersede is false and a run is active);
    // exists (a concurrent run of this id was started before); parent_ended.
    await runner.query(`
      CREATE FUNCTION workflow_start_run(p_workflow uuid, p_run uuid, p_origin jsonb, p_supersede boolean,
        p_payload jsonb, p_start_node text, p_run_to_the_end boolean, p_save_outputs boolean, p_correlation text,
        p_message jsonb, OUT outcome text, OUT version integer, OUT superseded_run_id uuid, OUT outbox_id bigint)
      LANGUAGE plpgsql AS $$
      DECLARE
        v_next integer;
        v_detail text;
        v_old workflow_runs;
        v_run workflow_runs;
      BEGIN
        SELECT current_run_version + 1 INTO v_next FROM workflows WHERE id = p_workflow AND deleted_at IS NULL
        FOR NO KEY UPDATE;
        IF NOT FOUND THEN outcome := 'gone'; RETURN; END IF;
        SELECT r.version INTO version FROM workflow_runs r WHERE r.id = p_run;
        IF FOUND THEN outcome := 'exists'; RETURN; END IF;
        IF p_origin->>'parentRunId' IS NOT NULL THEN
          PERFORM 1 FROM workflow_runs WHERE id = (p_origin->>'parentRunId')::uuid AND ${ACTIVE} FOR SHARE;
          IF NOT FOUND THEN outcome := 'parent_ended'; RETURN; END IF;
        END IF;
        IF NOT coalesce((p_origin->>'isConcurrent')::boolean, false) THEN
          IF NOT p_supersede AND EXISTS (
            SELECT 1 FROM workflow_runs r WHERE r.workflow_id = p_workflow AND r.status IN ('PENDING', 'RUNNING') AND NOT r.is_concurrent)
          THEN outcome := 'active'; RETURN; END IF;
          v_detail := format('Superseded by run %s.', v_next);
          v_old := workflow_stop_active(p_workflow, v_detail,
            jsonb_build_object('nodeId', NULL, 'code', 'superseded', 'message', v_detail));
        END IF;
        v_run := workflow_create_run(p_workflow, p_run, p_origin, p_payload, p_start_node, p_run_to_the_end,
          p_save_outputs, p_correlation, NULL, 0);
        outcome := 'started';
        version := v_run.version;
        superseded_run_id := v_old.id;
        outbox_id := workflow_ring(p_message, 3);
      END $$`);

    // nodes_stopped counts the runs' nodes that had not ended, the untouched ones (which have no row) included.
    // With p_request only the run that serves this request is stopped; without, all but those that other runs started.
    await runner.query(`
      CREATE FUNCTION workflow_stop(p_workflow uuid, p_request uuid, p_detail text, p_next_run uuid, p_message jsonb,
        OUT run_ids uuid[], OUT run_version integer, OUT nodes_stopped integer, OUT outbox_id bigint)
      LANGUAGE plpgsql AS $$
      DECLARE
        v_id uuid;
        v_run workflow_runs;
        v_count integer;
      BEGIN
        PERFORM 1 FROM workflows WHERE id = p_workflow AND deleted_at IS NULL FOR NO KEY UPDATE;
        IF NOT FOUND THEN RETURN; END IF;
        FOR v_id IN SELECT id FROM workflow_runs WHERE workflow_id = p_workflow AND ${ACTIVE}
          AND parent_run_id IS NULL AND (p_request IS NULL OR queue_request_id = p_request) ORDER BY is_concurrent, version
        LOOP
          v_run := workflow_stop_run(v_id, p_detail, jsonb_build_object(
            'nodeId', NULL, 'code', 'stopped', 'message', p_detail));
          CONTINUE WHEN v_run.id IS NULL;
          SELECT count(*) INTO v_count
          FROM workflow_revisions r, jsonb_array_elements(r.json_spec->'nodes') AS node
          WHERE r.workflow_id = p_workflow AND r.content_revision = v_run.content_revision AND NOT EXISTS (
            SELECT 1 FROM workflow_run_nodes n WHERE n.run_id = v_run.id AND n.node_id = node->>'id'
              AND n.status <> 'STOPPED');
          run_ids := run_ids || v_run.id;
          run_version := coalesce(run_version, v_run.version);
          nodes_stopped := coalesce(nodes_stopped, 0) + v_count;
        END LOOP;
        IF run_ids IS NOT NULL THEN outbox_id := workflow_ring_next(p_workflow, p_next_run, p_message); END IF;
      END $$`);

    // The end of a run, its webhook request, and the start of the next request: with p_worker already claimed by it.
    // A child's end is a signal for its parent, whose id comes back to be rung.
    await runner.query(`
      CREATE FUNCTION workflow_finish_run(p_run uuid, p_fence integer, p_status text, p_error jsonb, p_nodes jsonb,
        p_outputs jsonb, p_next_run uuid, p_worker text, p_lease_seconds integer, p_message jsonb,
        OUT accepted boolean, OUT next_run workflow_runs, OUT owner_id integer, OUT outbox_id bigint,
        OUT parent_run_id uuid)
      LANGUAGE plpgsql AS $$
      DECLARE
        v_workflow workflows;
        v_run workflow_runs;
        v_child uuid;
      BEGIN
        accepted := false;
        SELECT w.* INTO v_workflow FROM workflows w WHERE w.id = (SELECT workflow_id FROM workflow_runs WHERE id = p_run)
        FOR NO KEY UPDATE;
        UPDATE workflow_runs SET status = p_status, finished_at = now(), lease_owner = NULL, lease_expires_at = NULL,
          wake_at = NULL, error = p_error
        WHERE id = p_run AND fence = p_fence AND status = 'RUNNING' RETURNING * INTO v_run;
        IF NOT FOUND THEN RETURN; END IF;
        accepted := true;
        owner_id := v_workflow.owner_id;
        PERFORM workflow_write_nodes(p_run, p_nodes);
        IF p_outputs IS NOT NULL THEN PERFORM workflow_write_outputs(v_workflow.id, p_run, p_outputs); END IF;
        IF v_run.queue_request_id IS NOT NULL THEN
          UPDATE workflow_requests SET finished_at = now(), detail = coalesce(left(p_error->>'message', 500), ''),
            status = CASE p_status WHEN 'COMPLETED' THEN 'done' WHEN 'FAILED' THEN 'failed' ELSE 'cancelled' END
          WHERE id = v_run.queue_request_id AND status = 'running';
        END IF;
        IF p_status = 'COMPLETED' THEN
          UPDATE workflows SET successful_run_count = successful_run_count + 1 WHERE id = v_workflow.id;
        ELSE
          FOR v_child IN SELECT r.id FROM workflow_runs r WHERE r.parent_run_id = p_run AND r.status IN ('PENDING', 'RUNNING') LOOP
            PERFORM workflow_stop_run(v_child, 'The run that started it has ended.', jsonb_build_object(
              'nodeId', NULL, 'code', 'stopped', 'message', 'The run that started it has ended.'));
          END LOOP;
        END IF;
        IF v_run.parent_run_id IS NOT NULL THEN
          INSERT INTO workflow_signals (run_id, node_id, wait_id, value)
          VALUES (v_run.parent_run_id, v_run.parent_node_id, v_run.parent_key,
            jsonb_build_object('runId', p_run, 'status', p_status, 'error', p_error))
          ON CONFLICT DO NOTHING;
          parent_run_id := v_run.parent_run_id;
        END IF;
        IF v_run.is_concurrent OR v_workflow.pending_requests = 0 OR v_workflow.deleted_at IS NOT NULL THEN
          RETURN;
        END IF;
        next_run := workflow_start_next(v_workflow.id, p_next_run, p_worker, p_lease_seconds);
        IF p_worker IS NULL AND next_run.id IS NOT NULL THEN
          outbox_id := workflow_ring(p_message || jsonb_build_object('requestId', next_run.correlation_id), 3);
        END IF;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['stop_run', 'start_run']) await runner.query(`DROP FUNCTION workflow_${name}`);
    await runner.query('CREATE FUNCTION workflow_rerun() RETURNS void LANGUAGE sql AS $$ SELECT NULL::void $$');
    const functions = new WorkflowFunctions1763700000510();
    await functions.down(runner);
    await runner.query('DROP TABLE workflow_signals');
    for (const name of ['active', 'active_concurrent', 'parent'])
      await runner.query(`DROP INDEX workflow_runs_${name}`);
    await runner.query(`DELETE FROM workflow_runs WHERE is_concurrent`);
    await runner.query(`
      ALTER TABLE workflow_runs DROP is_concurrent, DROP schedule_id, DROP parent_run_id CASCADE, DROP parent_node_id,
        DROP parent_key, DROP tokens, DROP spend, DROP expires_at`);
    await runner.query(`CREATE UNIQUE INDEX workflow_runs_active ON workflow_runs (workflow_id) WHERE ${ACTIVE}`);
    await runner.query('ALTER TABLE workflow_requests DROP awaiting_approval, DROP schedule_id');
    await runner.query('ALTER TABLE workflows DROP published_revision, DROP requires_approval');
    await functions.up(runner);
  }
}
