export const workflowFireSlots = `
CREATE OR REPLACE FUNCTION workflow_fire_slots(p_steps json, p_queue_limit integer)
RETURNS TABLE(place integer, outcome text, run_version integer, outbox_id bigint)
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
#variable_conflict use_column
DECLARE
  v_step record;
  v_outcome text;
  v_pending integer;
  v_owner_active boolean;
  v_own_active integer;
  v_own_waiting boolean;
  v_busy boolean;
  v_kept text;
  v_run workflow_runs;
  v_bell bigint;
BEGIN
  FOR v_step IN
    SELECT * FROM json_to_recordset(p_steps) AS s(place integer, schedule uuid, workflow uuid, advance jsonb,
      slot double precision, policy text, source text, "userId" integer, payload json, id uuid, message jsonb,
      refusal text)
    ORDER BY s.workflow, s.place
  LOOP
    v_run := NULL;
    v_bell := NULL;
    <<step>>
    BEGIN
      SELECT w.pending_requests, o.is_active INTO v_pending, v_owner_active
      FROM workflows w JOIN users o ON o.id = w.owner_id
      WHERE w.id = v_step.workflow AND w.deleted_at IS NULL FOR NO KEY UPDATE OF w;
      IF NOT FOUND THEN v_outcome := 'gone'; EXIT step; END IF;
      IF v_step.advance <> 'null' THEN
        UPDATE workflow_schedules s SET
          next_run_at = to_timestamp((v_step.advance->>'next')::double precision / 1000),
          due_at = to_timestamp((v_step.advance->>'due')::double precision / 1000),
          missed_count = s.missed_count + (v_step.advance->>'missed')::integer,
          last_status = CASE WHEN (v_step.advance->>'missed')::integer > 0 THEN 'MISSED' ELSE s.last_status END,
          state = v_step.advance->>'state', enabled = v_step.advance->>'state' IN ('active', 'error'),
          claimed_until = NULL,
          last_error = coalesce(v_step.advance->>'error', s.last_error)
        WHERE s.id = v_step.schedule AND s.version = (v_step.advance->>'version')::integer
          AND date_trunc('milliseconds', s.next_run_at) = to_timestamp((v_step.advance->>'expected')::double precision / 1000);
      ELSE
        PERFORM 1 FROM workflow_schedules s WHERE s.id = v_step.schedule FOR NO KEY UPDATE;
      END IF;
      IF NOT FOUND THEN v_outcome := 'stale'; EXIT step; END IF;
      IF v_step.slot IS NULL THEN v_outcome := 'advanced'; EXIT step; END IF;

      SELECT count(*) INTO v_own_active FROM workflow_runs r
      WHERE r.schedule_id = v_step.schedule AND r.status IN ('PENDING', 'RUNNING');
      v_own_waiting := EXISTS (
        SELECT 1 FROM workflow_requests q WHERE q.schedule_id = v_step.schedule AND q.status = 'pending');
      v_busy := EXISTS (
          SELECT 1 FROM workflow_runs r
          WHERE r.workflow_id = v_step.workflow AND r.status IN ('PENDING', 'RUNNING') AND NOT r.is_concurrent)
        OR v_pending > 0 AND EXISTS (
          SELECT 1 FROM workflow_requests q
          WHERE q.workflow_id = v_step.workflow AND q.status = 'pending' AND NOT q.awaiting_approval);
      v_outcome := CASE
        WHEN NOT v_owner_active THEN 'owner_inactive'
        WHEN v_step.refusal IS NOT NULL THEN 'not_in_plan'
        WHEN v_step.policy = 'skip' AND (v_own_active > 0 OR v_own_waiting) THEN 'skipped'
        WHEN v_step.policy = 'queue_one' AND v_own_waiting THEN 'skipped'
        WHEN NOT v_busy THEN 'started'
        WHEN v_step.policy = 'allow' THEN
          CASE WHEN v_own_active < 100 THEN 'concurrent' ELSE 'skipped' END
        WHEN v_pending >= p_queue_limit THEN 'queue_full'
        ELSE 'queued' END;
      v_kept := CASE WHEN v_outcome = 'concurrent' THEN 'started' WHEN v_outcome IN ('started', 'queued') THEN v_outcome
        ELSE 'skipped' END;

      INSERT INTO workflow_schedule_slots AS known (schedule_id, slot_time, outcome, source, started_id)
      VALUES (v_step.schedule, to_timestamp(v_step.slot / 1000), v_kept, v_step.source, v_step.id)
      ON CONFLICT (schedule_id, slot_time) DO UPDATE SET outcome = excluded.outcome, source = excluded.source,
        started_id = excluded.started_id, fired_at = clock_timestamp()
      WHERE known.outcome = 'skipped' AND excluded.source = 'backfill';
      IF NOT FOUND THEN v_outcome := 'duplicate'; EXIT step; END IF;

      IF v_kept = 'started' THEN
        v_run := workflow_create_run(v_step.workflow, v_step.id, jsonb_build_object('trigger', 'schedule',
            'scheduleId', v_step.schedule, 'userId', v_step."userId", 'isConcurrent', v_outcome = 'concurrent'),
          v_step.payload, NULL, true, true, v_step.message->>'requestId', NULL, 0);
        v_bell := workflow_ring(v_step.message, 3);
      ELSIF v_kept = 'queued' THEN
        INSERT INTO workflow_requests (id, workflow_id, status, payload, schedule_id, correlation_id)
        VALUES (v_step.id, v_step.workflow, 'pending', v_step.payload, v_step.schedule, v_step.message->>'requestId');
        UPDATE workflows SET pending_requests = pending_requests + 1 WHERE id = v_step.workflow;
        UPDATE workflow_schedules SET last_status = 'PENDING' WHERE id = v_step.schedule;
      ELSE
        UPDATE workflow_schedules SET last_status = 'SKIPPED', last_error = CASE v_outcome
          WHEN 'owner_inactive' THEN 'The account of the owner is deactivated.'
          WHEN 'not_in_plan' THEN v_step.refusal
          WHEN 'queue_full' THEN 'Too many requests of this workflow are waiting.' ELSE last_error END
        WHERE id = v_step.schedule;
      END IF;
    END;
    place := v_step.place;
    outcome := v_outcome;
    run_version := v_run.version;
    outbox_id := v_bell;
    RETURN NEXT;
  END LOOP;
END $$`;
