export const workflowEnqueue = `
CREATE OR REPLACE FUNCTION workflow_enqueue(p_calls json, p_limit integer, p_waits boolean)
RETURNS TABLE(place integer, outcome text, request_id uuid, queue_position integer, state text, is_awaiting boolean, outbox_id bigint, files_outbox_id bigint)
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  c record;
  v_workflow record;
  v_active boolean;
  v_known workflow_requests;
  v_run workflow_runs;
  v_busy uuid;
BEGIN
  FOR c IN SELECT * FROM json_to_recordset(p_calls) AS call(place integer, workflow uuid, request uuid, run uuid,
    payload json, "fileUrls" text[], files jsonb, "startNode" text, "toTheEnd" boolean, key text,
    correlation text, message jsonb, "filesMessage" jsonb) ORDER BY call.workflow, call.place
  LOOP
    place := c.place;
    request_id := c.request;
    queue_position := 0;
    state := NULL;
    is_awaiting := false;
    outbox_id := NULL;
    files_outbox_id := NULL;
    IF c.workflow = v_busy THEN outcome := 'busy'; RETURN NEXT; CONTINUE; END IF;
    IF p_waits THEN
      SELECT w.pending_requests, w.requires_approval INTO v_workflow FROM workflows w
      WHERE w.id = c.workflow AND w.deleted_at IS NULL
        AND EXISTS (SELECT 1 FROM users o WHERE o.id = w.owner_id AND o.is_active) FOR NO KEY UPDATE;
      IF NOT FOUND THEN outcome := 'gone'; RETURN NEXT; CONTINUE; END IF;
    ELSE
      SELECT w.pending_requests, w.requires_approval INTO v_workflow FROM workflows w
      WHERE w.id = c.workflow AND w.deleted_at IS NULL
        AND EXISTS (SELECT 1 FROM users o WHERE o.id = w.owner_id AND o.is_active) FOR NO KEY UPDATE SKIP LOCKED;
      IF NOT FOUND THEN v_busy := c.workflow; outcome := 'busy'; RETURN NEXT; CONTINUE; END IF;
    END IF;
    IF c.key IS NOT NULL THEN
      SELECT * INTO v_known FROM workflow_requests q WHERE q.workflow_id = c.workflow AND q.idempotency_key = c.key;
      IF FOUND AND v_known.queued_at > now() - interval '24 hours' THEN
        outcome := 'duplicate';
        request_id := v_known.id;
        state := v_known.status;
        is_awaiting := v_known.awaiting_approval AND state = 'pending';
        IF state = 'pending' THEN
          SELECT count(*) INTO queue_position FROM workflow_requests q
          WHERE q.workflow_id = c.workflow AND q.status = 'pending' AND q.seq <= v_known.seq;
        END IF;
        RETURN NEXT;
        CONTINUE;
      ELSIF FOUND THEN
        UPDATE workflow_requests q SET idempotency_key = NULL WHERE q.id = v_known.id;
      END IF;
    END IF;
    v_active := EXISTS (
        SELECT 1 FROM workflow_runs r WHERE r.workflow_id = c.workflow AND r.status IN ('PENDING', 'RUNNING') AND NOT r.is_concurrent)
      OR v_workflow.pending_requests > 0 AND EXISTS (
        SELECT 1 FROM workflow_requests q
        WHERE q.workflow_id = c.workflow AND q.status = 'pending' AND NOT q.awaiting_approval);
    IF v_active OR v_workflow.requires_approval OR c.files IS NOT NULL THEN
      IF v_workflow.pending_requests >= p_limit THEN
        outcome := 'queue_full';
        queue_position := v_workflow.pending_requests;
        RETURN NEXT;
        CONTINUE;
      END IF;
      INSERT INTO workflow_requests (id, workflow_id, status, payload, file_urls, start_node_id, run_to_the_end,
        idempotency_key, correlation_id, awaiting_approval, awaiting_files)
      VALUES (c.request, c.workflow, 'pending', c.payload, coalesce(c."fileUrls", '{}'), c."startNode", c."toTheEnd",
        c.key, c.correlation, v_workflow.requires_approval, c.files IS NOT NULL);
      IF c.files IS NOT NULL THEN
        INSERT INTO workflow_request_files (request_id, position, url, state, error)
        SELECT c.request, f.position, f.url, f.state, f.error
        FROM jsonb_to_recordset(c.files) AS f(position integer, url text, state text, error text);
        IF NOT v_workflow.requires_approval THEN
          INSERT INTO workflow_request_fetches (request_id) VALUES (c.request);
          files_outbox_id := workflow_ring(c."filesMessage", 3);
        END IF;
      END IF;
      UPDATE workflows w SET pending_requests = w.pending_requests + 1 WHERE w.id = c.workflow;
      outcome := 'queued';
      state := 'pending';
      is_awaiting := v_workflow.requires_approval;
      queue_position := v_workflow.pending_requests + 1;
      RETURN NEXT;
      CONTINUE;
    END IF;
    v_run := workflow_create_run(c.workflow, c.run,
      jsonb_build_object('trigger', 'webhook', 'requestId', c.request), c.payload, c."startNode",
      c."toTheEnd", true, c.correlation, NULL, 0);
    INSERT INTO workflow_requests (id, workflow_id, status, payload, file_urls, start_node_id, run_to_the_end,
      idempotency_key, correlation_id, run_version, started_at)
    VALUES (c.request, c.workflow, 'running', c.payload, coalesce(c."fileUrls", '{}'), c."startNode", c."toTheEnd",
      c.key, c.correlation, v_run.version, now());
    outcome := 'started';
    state := 'running';
    outbox_id := workflow_ring(c.message, 3);
    RETURN NEXT;
  END LOOP;
END $$`;
