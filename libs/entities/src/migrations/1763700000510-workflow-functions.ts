import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The steps of runs and of the webhook queue that have to be one round trip and one commit. Rules of all of them:
 * - whoever starts or ends a run locks the workflow's row first and the run's row second, so they take turns and
 *   cannot deadlock; a claim, a heartbeat and progress lock the run's row alone;
 * - only a RUNNING run with the caller's fence takes results, and a terminal run never changes again.
 * libs/workflows is their only caller and says what each argument means.
 */
export class WorkflowFunctions1763700000510 implements MigrationInterface {
  name = 'WorkflowFunctions1763700000510';

  async up(runner: QueryRunner): Promise<void> {
    // p_message: {job, queue, jobKey, payload, requestId}. Returns the id of the outbox row.
    await runner.query(`
      CREATE FUNCTION workflow_ring(p_message jsonb, p_delay_seconds double precision) RETURNS bigint
      LANGUAGE sql AS $$
        INSERT INTO outbox_messages (job, queue, job_key, payload, request_id, available_at)
        VALUES (p_message->>'job', p_message->>'queue', p_message->>'jobKey', p_message->'payload',
          p_message->>'requestId', now() + p_delay_seconds * interval '1 second')
        RETURNING id
      $$`);

    await runner.query(`
      CREATE FUNCTION workflow_write_nodes(p_run uuid, p_nodes jsonb) RETURNS void
      LANGUAGE sql AS $$
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
          batch_completed = excluded.batch_completed
      $$`);

    // The id of an output is derived from run and node: written again, it changes nothing.
    await runner.query(`
      CREATE FUNCTION workflow_write_outputs(p_workflow uuid, p_run uuid, p_outputs jsonb) RETURNS void
      LANGUAGE sql AS $$
        INSERT INTO workflow_outputs (id, workflow_id, run_id, node_id, node_name, kind, type, value, size_bytes)
        SELECT o.id, p_workflow, p_run, o."nodeId", o."nodeName", o.kind, o.type, o.value, o."sizeBytes"
        FROM jsonb_to_recordset(p_outputs) AS o(id uuid, "nodeId" text, "nodeName" text, kind text, type text,
          value jsonb, "sizeBytes" integer)
        ON CONFLICT DO NOTHING
      $$`);

    // The caller holds the workflow's row. With a worker the run is born claimed, else it waits for its bell.
    await runner.query(`
      CREATE FUNCTION workflow_create_run(p_workflow uuid, p_run uuid, p_trigger text, p_user integer, p_request uuid,
        p_payload jsonb, p_start_node text, p_run_to_the_end boolean, p_save_outputs boolean, p_correlation text,
        p_worker text, p_lease_seconds integer) RETURNS workflow_runs
      LANGUAGE plpgsql AS $$
      DECLARE
        v_workflow workflows;
        v_run workflow_runs;
      BEGIN
        UPDATE workflows SET current_run_id = p_run, current_run_version = current_run_version + 1
        WHERE id = p_workflow RETURNING * INTO v_workflow;
        INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, triggered_by_id,
          queue_request_id, parent_version, start_node_id, run_to_the_end, save_outputs, payload, correlation_id,
          fence, lease_owner, lease_expires_at, started_at)
        VALUES (p_run, p_workflow, v_workflow.current_run_version, v_workflow.content_revision,
          CASE WHEN p_worker IS NULL THEN 'PENDING' ELSE 'RUNNING' END, p_trigger, p_user, p_request,
          CASE WHEN p_start_node IS NOT NULL THEN nullif(v_workflow.current_run_version - 1, 0) END,
          p_start_node, p_run_to_the_end, p_save_outputs, p_payload, p_correlation,
          CASE WHEN p_worker IS NULL THEN 0 ELSE 1 END, p_worker,
          CASE WHEN p_worker IS NOT NULL THEN now() + p_lease_seconds * interval '1 second' END,
          CASE WHEN p_worker IS NOT NULL THEN now() END)
        RETURNING * INTO v_run;
        RETURN v_run;
      END $$`);

    // The caller holds the workflow's row. Null when a run is active or nothing waits.
    await runner.query(`
      CREATE FUNCTION workflow_start_next(p_workflow uuid, p_run uuid, p_worker text, p_lease_seconds integer)
      RETURNS workflow_runs
      LANGUAGE plpgsql AS $$
      DECLARE
        v_request workflow_requests;
        v_run workflow_runs;
      BEGIN
        PERFORM 1 FROM workflow_runs WHERE workflow_id = p_workflow AND status IN ('PENDING', 'RUNNING');
        IF FOUND THEN RETURN NULL; END IF;
        SELECT * INTO v_request FROM workflow_requests WHERE workflow_id = p_workflow AND status = 'pending'
        ORDER BY seq LIMIT 1 FOR UPDATE;
        IF NOT FOUND THEN RETURN NULL; END IF;
        v_run := workflow_create_run(p_workflow, p_run, 'webhook', NULL, v_request.id, v_request.payload,
          v_request.start_node_id, v_request.run_to_the_end, true, v_request.correlation_id, p_worker, p_lease_seconds);
        UPDATE workflow_requests SET status = 'running', run_version = v_run.version, started_at = now(),
          finished_at = NULL, detail = '' WHERE id = v_request.id;
        UPDATE workflows SET pending_requests = pending_requests - 1 WHERE id = p_workflow;
        RETURN v_run;
      END $$`);

    // Starts what waits, if it may, and rings for it: p_message belongs to p_run. Null, or the id of the outbox row.
    await runner.query(`
      CREATE FUNCTION workflow_ring_next(p_workflow uuid, p_run uuid, p_message jsonb) RETURNS bigint
      LANGUAGE plpgsql AS $$
      DECLARE
        v_run workflow_runs;
      BEGIN
        PERFORM 1 FROM workflows WHERE id = p_workflow AND deleted_at IS NULL FOR NO KEY UPDATE;
        IF NOT FOUND THEN RETURN NULL; END IF;
        v_run := workflow_start_next(p_workflow, p_run, NULL, 0);
        IF v_run.id IS NULL THEN RETURN NULL; END IF;
        RETURN workflow_ring(p_message || jsonb_build_object('requestId', v_run.correlation_id), 3);
      END $$`);

    // The caller holds the workflow's row. Ends the active run, whoever works on it; null when there is none.
    await runner.query(`
      CREATE FUNCTION workflow_stop_active(p_workflow uuid, p_detail text, p_error jsonb) RETURNS workflow_runs
      LANGUAGE plpgsql AS $$
      DECLARE
        v_run workflow_runs;
      BEGIN
        UPDATE workflow_runs SET status = 'STOPPED', finished_at = now(), lease_owner = NULL, lease_expires_at = NULL,
          wake_at = NULL, error = p_error
        WHERE workflow_id = p_workflow AND status IN ('PENDING', 'RUNNING') RETURNING * INTO v_run;
        IF NOT FOUND THEN RETURN NULL; END IF;
        UPDATE workflow_run_nodes SET status = 'STOPPED', finished_at = now(), waiting = NULL
        WHERE run_id = v_run.id AND status IN ('PENDING', 'RUNNING', 'WAITING');
        UPDATE workflow_requests SET status = 'cancelled', finished_at = now(), detail = p_detail
        WHERE id = v_run.queue_request_id AND status = 'running';
        RETURN v_run;
      END $$`);

    // A webhook call. outcome: started, queued, duplicate, queue_full or gone.
    await runner.query(`
      CREATE FUNCTION workflow_enqueue(p_workflow uuid, p_request uuid, p_run uuid, p_payload jsonb, p_file_urls text[],
        p_start_node text, p_run_to_the_end boolean, p_idempotency_key text, p_correlation text, p_limit integer,
        p_message jsonb, OUT outcome text, OUT request_id uuid, OUT queue_position integer, OUT outbox_id bigint)
      LANGUAGE plpgsql AS $$
      DECLARE
        v_pending integer;
        v_active boolean;
        v_known workflow_requests;
        v_run workflow_runs;
      BEGIN
        SELECT pending_requests INTO v_pending FROM workflows WHERE id = p_workflow AND deleted_at IS NULL
        FOR NO KEY UPDATE;
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
        v_active := v_pending > 0 OR EXISTS (
          SELECT 1 FROM workflow_runs WHERE workflow_id = p_workflow AND status IN ('PENDING', 'RUNNING'));
        IF v_active AND v_pending >= p_limit THEN outcome := 'queue_full'; queue_position := v_pending; RETURN; END IF;
        request_id := p_request;
        IF v_active THEN
          INSERT INTO workflow_requests (id, workflow_id, status, payload, file_urls, start_node_id, run_to_the_end,
            idempotency_key, correlation_id)
          VALUES (p_request, p_workflow, 'pending', p_payload, p_file_urls, p_start_node, p_run_to_the_end,
            p_idempotency_key, p_correlation);
          UPDATE workflows SET pending_requests = pending_requests + 1 WHERE id = p_workflow;
          outcome := 'queued';
          queue_position := v_pending + 1;
          RETURN;
        END IF;
        v_run := workflow_create_run(p_workflow, p_run, 'webhook', NULL, p_request, p_payload, p_start_node,
          p_run_to_the_end, true, p_correlation, NULL, 0);
        INSERT INTO workflow_requests (id, workflow_id, status, payload, file_urls, start_node_id, run_to_the_end,
          idempotency_key, correlation_id, run_version, started_at)
        VALUES (p_request, p_workflow, 'running', p_payload, p_file_urls, p_start_node, p_run_to_the_end,
          p_idempotency_key, p_correlation, v_run.version, now());
        outcome := 'started';
        queue_position := 0;
        outbox_id := workflow_ring(p_message, 3);
      END $$`);

    // Rerun, branch rerun: an active run gives way. Null when the workflow is gone.
    await runner.query(`
      CREATE FUNCTION workflow_rerun(p_workflow uuid, p_run uuid, p_trigger text, p_user integer, p_payload jsonb,
        p_start_node text, p_run_to_the_end boolean, p_save_outputs boolean, p_correlation text, p_message jsonb,
        OUT version integer, OUT superseded_run_id uuid, OUT outbox_id bigint)
      LANGUAGE plpgsql AS $$
      DECLARE
        v_next integer;
        v_old workflow_runs;
        v_run workflow_runs;
      BEGIN
        SELECT current_run_version + 1 INTO v_next FROM workflows WHERE id = p_workflow AND deleted_at IS NULL
        FOR NO KEY UPDATE;
        IF NOT FOUND THEN RETURN; END IF;
        v_old := workflow_stop_active(p_workflow, format('Superseded by run %s.', v_next), jsonb_build_object(
          'nodeId', NULL, 'code', 'superseded', 'message', format('Superseded by run %s.', v_next)));
        v_run := workflow_create_run(p_workflow, p_run, p_trigger, p_user, NULL, p_payload, p_start_node,
          p_run_to_the_end, p_save_outputs, p_correlation, NULL, 0);
        version := v_run.version;
        superseded_run_id := v_old.id;
        outbox_id := workflow_ring(p_message, 3);
      END $$`);

    // nodes_stopped counts the run's nodes that had not ended, the untouched ones (which have no row) included.
    // With p_request only the run that serves this request is stopped.
    await runner.query(`
      CREATE FUNCTION workflow_stop(p_workflow uuid, p_request uuid, p_detail text, p_next_run uuid, p_message jsonb,
        OUT run_id uuid, OUT run_version integer, OUT nodes_stopped integer, OUT outbox_id bigint)
      LANGUAGE plpgsql AS $$
      DECLARE
        v_run workflow_runs;
      BEGIN
        PERFORM 1 FROM workflows WHERE id = p_workflow AND deleted_at IS NULL FOR NO KEY UPDATE;
        IF NOT FOUND THEN RETURN; END IF;
        PERFORM 1 FROM workflow_runs WHERE workflow_id = p_workflow AND status IN ('PENDING', 'RUNNING')
          AND (p_request IS NULL OR queue_request_id = p_request);
        IF NOT FOUND THEN RETURN; END IF;
        v_run := workflow_stop_active(p_workflow, p_detail, jsonb_build_object(
          'nodeId', NULL, 'code', 'stopped', 'message', p_detail));
        IF v_run.id IS NULL THEN RETURN; END IF;
        run_id := v_run.id;
        run_version := v_run.version;
        SELECT count(*) INTO nodes_stopped
        FROM workflow_revisions r, jsonb_array_elements(r.json_spec->'nodes') AS node
        WHERE r.workflow_id = p_workflow AND r.content_revision = v_run.content_revision AND NOT EXISTS (
          SELECT 1 FROM workflow_run_nodes n WHERE n.run_id = v_run.id AND n.node_id = node->>'id'
            AND n.status <> 'STOPPED');
        outbox_id := workflow_ring_next(p_workflow, p_next_run, p_message);
      END $$`);

    // The end of a run, its webhook request, and the start of the next request: with p_worker already claimed by it.
    await runner.query(`
      CREATE FUNCTION workflow_finish_run(p_run uuid, p_fence integer, p_status text, p_error jsonb, p_nodes jsonb,
        p_outputs jsonb, p_next_run uuid, p_worker text, p_lease_seconds integer, p_message jsonb,
        OUT accepted boolean, OUT next_run workflow_runs, OUT owner_id integer, OUT outbox_id bigint)
      LANGUAGE plpgsql AS $$
      DECLARE
        v_workflow workflows;
        v_request uuid;
      BEGIN
        accepted := false;
        SELECT w.* INTO v_workflow FROM workflows w WHERE w.id = (SELECT workflow_id FROM workflow_runs WHERE id = p_run)
        FOR NO KEY UPDATE;
        UPDATE workflow_runs SET status = p_status, finished_at = now(), lease_owner = NULL, lease_expires_at = NULL,
          wake_at = NULL, error = p_error
        WHERE id = p_run AND fence = p_fence AND status = 'RUNNING' RETURNING queue_request_id INTO v_request;
        IF NOT FOUND THEN RETURN; END IF;
        accepted := true;
        owner_id := v_workflow.owner_id;
        PERFORM workflow_write_nodes(p_run, p_nodes);
        IF p_outputs IS NOT NULL THEN PERFORM workflow_write_outputs(v_workflow.id, p_run, p_outputs); END IF;
        IF v_request IS NOT NULL THEN
          UPDATE workflow_requests SET finished_at = now(), detail = coalesce(left(p_error->>'message', 500), ''),
            status = CASE p_status WHEN 'COMPLETED' THEN 'done' WHEN 'FAILED' THEN 'failed' ELSE 'cancelled' END
          WHERE id = v_request AND status = 'running';
        END IF;
        IF p_status = 'COMPLETED' THEN
          UPDATE workflows SET successful_run_count = successful_run_count + 1 WHERE id = v_workflow.id;
        END IF;
        IF v_workflow.pending_requests = 0 OR v_workflow.deleted_at IS NOT NULL THEN RETURN; END IF;
        next_run := workflow_start_next(v_workflow.id, p_next_run, p_worker, p_lease_seconds);
        IF p_worker IS NULL AND next_run.id IS NOT NULL THEN
          outbox_id := workflow_ring(p_message || jsonb_build_object('requestId', next_run.correlation_id), 3);
        END IF;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const functions = [
      'finish_run',
      'stop',
      'rerun',
      'enqueue',
      'stop_active',
      'ring_next',
      'start_next',
      'create_run',
    ];
    for (const name of [...functions, 'write_outputs', 'write_nodes', 'ring'])
      await runner.query(`DROP FUNCTION workflow_${name}`);
  }
}
