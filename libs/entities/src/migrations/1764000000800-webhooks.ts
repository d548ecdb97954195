import type { MigrationInterface, QueryRunner } from 'typeorm';

const ACTIVE = `status IN ('PENDING', 'RUNNING')`;

/**
 * Webhooks, whole: keys beside the secret of a credential, files that a call names, calls that arrive together taken in
 * by one statement, and the retention of finished requests. The locking rules of 1763700000510 hold on; a statement that
 * takes calls of several workflows in locks them in the order of their ids.
 */
export class Webhooks1764000000800 implements MigrationInterface {
  name = 'Webhooks1764000000800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workflow_webhook_keys (
        id uuid CONSTRAINT workflow_webhook_keys_pkey PRIMARY KEY,
        webhook_id uuid NOT NULL,
        kind text NOT NULL,
        key_sealed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        CONSTRAINT workflow_webhook_keys_kind_check CHECK (kind IN ('secret', 'signing')),
        CONSTRAINT workflow_webhook_keys_expiry_check CHECK (kind = 'signing' OR expires_at IS NOT NULL),
        CONSTRAINT workflow_webhook_keys_webhook_id_fkey FOREIGN KEY (webhook_id)
          REFERENCES workflow_webhooks (webhook_id) ON DELETE CASCADE
      )`);
    await runner.query('CREATE INDEX workflow_webhook_keys_webhook ON workflow_webhook_keys (webhook_id)');
    await runner.query(
      `CREATE UNIQUE INDEX workflow_webhook_keys_signing ON workflow_webhook_keys (webhook_id)
       WHERE kind = 'signing' AND expires_at IS NULL`,
    );

    await runner.query(`
      ALTER TABLE workflow_requests
        ADD approved_at timestamptz,
        ADD awaiting_files boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT workflow_requests_files_check CHECK (NOT awaiting_files OR status IN ('pending', 'cancelled'))`);
    await runner.query('DROP INDEX workflow_requests_workflow_queued');
    await runner.query('CREATE INDEX workflow_requests_workflow_seq ON workflow_requests (workflow_id, seq)');
    // Nearly free for the writers, and good enough for a sweeper.
    await runner.query('CREATE INDEX workflow_requests_queued_at ON workflow_requests USING brin (queued_at)');

    await runner.query(`
      CREATE TABLE workflow_request_files (
        request_id uuid NOT NULL,
        position integer NOT NULL,
        url text NOT NULL,
        state text NOT NULL,
        filename text,
        document_uid uuid,
        mime_type text,
        size_bytes bigint,
        error text,
        tries integer NOT NULL DEFAULT 0,
        CONSTRAINT workflow_request_files_pkey PRIMARY KEY (request_id, position),
        CONSTRAINT workflow_request_files_state_check CHECK (state IN ('pending', 'stored', 'failed', 'skipped')),
        CONSTRAINT workflow_request_files_request_id_fkey FOREIGN KEY (request_id)
          REFERENCES workflow_requests (id) ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE TABLE workflow_request_fetches (
        request_id uuid CONSTRAINT workflow_request_fetches_pkey PRIMARY KEY,
        fence integer NOT NULL DEFAULT 0,
        resume_at timestamptz NOT NULL DEFAULT now(),
        lease_expires_at timestamptz,
        CONSTRAINT workflow_request_fetches_request_id_fkey FOREIGN KEY (request_id)
          REFERENCES workflow_requests (id) ON DELETE CASCADE
      )`);
    await runner.query('CREATE INDEX workflow_request_fetches_resume ON workflow_request_fetches (resume_at)');

    // What the trigger node learns of the files: the payload's \`_request.files\`.
    await runner.query(`
      CREATE FUNCTION workflow_request_payload(p_request uuid, p_payload jsonb) RETURNS jsonb
      LANGUAGE sql AS $$
        SELECT coalesce(p_payload, '{}') || jsonb_build_object('_request',
          coalesce(p_payload->'_request', '{}') || jsonb_build_object('files', coalesce(jsonb_agg(
            jsonb_build_object('url', f.url, 'status', f.state, 'file_name', f.filename, 'uid', f.document_uid,
              'mime_type', f.mime_type, 'size_bytes', f.size_bytes, 'error', f.error) ORDER BY f.position), '[]')))
        FROM workflow_request_files f WHERE f.request_id = p_request
      $$`);

    // As in 1764000000100, and: the first in line holds the others up until its files are there.
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
        IF NOT FOUND OR v_request.awaiting_files THEN RETURN NULL; END IF;
        IF v_request.file_urls <> '{}' THEN
          v_request.payload := workflow_request_payload(v_request.id, v_request.payload);
        END IF;
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

    await runner.query(`DROP FUNCTION workflow_enqueue`);
    // Webhook calls, each {place, workflow, request, run, payload, fileUrls, files, startNode, toTheEnd, key,
    // correlation, message, filesMessage}; those of one workflow are taken in by their place.
    // outcome: started, queued, duplicate, queue_full, gone or, without p_waits, busy: somebody holds the workflow's row,
    // and nothing was written; state: the request's.
    await runner.query(`
      CREATE FUNCTION workflow_enqueue(p_calls jsonb, p_limit integer, p_waits boolean)
      RETURNS TABLE (place integer, outcome text, request_id uuid, queue_position integer, state text,
        is_awaiting boolean, outbox_id bigint, files_outbox_id bigint)
      LANGUAGE plpgsql AS $$
      DECLARE
        c record;
        v_workflow record;
        v_active boolean;
        v_known workflow_requests;
        v_run workflow_runs;
        v_busy uuid;
      BEGIN
        FOR c IN SELECT * FROM jsonb_to_recordset(p_calls) AS call(place integer, workflow uuid, request uuid, run uuid,
          payload jsonb, "fileUrls" text[], files jsonb, "startNode" text, "toTheEnd" boolean, key text,
          correlation text, message jsonb, "filesMessage" jsonb) ORDER BY call.workflow, call.place
        LOOP
          place := c.place;
          request_id := c.request;
          queue_position := 0;
          is_awaiting := false;
          outbox_id := NULL;
          files_outbox_id := NULL;
          IF c.workflow = v_busy THEN outcome := 'busy'; RETURN NEXT; CONTINUE; END IF;
          IF p_waits THEN
            SELECT w.pending_requests, w.requires_approval INTO v_workflow FROM workflows w
            WHERE w.id = c.workflow AND w.deleted_at IS NULL FOR NO KEY UPDATE;
            IF NOT FOUND THEN outcome := 'gone'; RETURN NEXT; CONTINUE; END IF;
          ELSE
            SELECT w.pending_requests, w.requires_approval INTO v_workflow FROM workflows w
            WHERE w.id = c.workflow AND w.deleted_at IS NULL FOR NO KEY UPDATE SKIP LOCKED;
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
              SELECT 1 FROM workflow_runs r WHERE r.workflow_id = c.workflow AND r.${ACTIVE} AND NOT r.is_concurrent)
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
      END $$`);

    // Their plans are cached, and would be those for the few rows that there were when a connection first used them:
    // a burst into an empty queue then reads the whole queue for each step.
    await runner.query(`
      DO $$
      DECLARE
        v_function regprocedure;
      BEGIN
        FOR v_function IN SELECT p.oid FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
          WHERE p.pronamespace = current_schema()::regnamespace AND p.proname LIKE 'workflow\\_%' AND l.lanname = 'plpgsql'
        LOOP
          EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', v_function);
        END LOOP;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION workflow_enqueue');
    await runner.query('DROP FUNCTION workflow_request_payload');
    await runner.query('DROP TABLE workflow_request_fetches');
    await runner.query('DROP TABLE workflow_request_files');
    await runner.query('DROP INDEX workflow_requests_queued_at');
    await runner.query('DROP INDEX workflow_requests_workflow_seq');
    await runner.query(
      'CREATE INDEX workflow_requests_workflow_queued ON workflow_requests (workflow_id, queued_at DESC)',
    );
    await runner.query('ALTER TABLE workflow_requests DROP approved_at, DROP awaiting_files');
    await runner.query('DROP TABLE workflow_webhook_keys');
    // The migration before this one drops and makes its functions anew; it only has to find one of this name.
    await runner.query('CREATE FUNCTION workflow_enqueue() RETURNS void LANGUAGE sql AS $$ SELECT NULL::void $$');
  }
}
