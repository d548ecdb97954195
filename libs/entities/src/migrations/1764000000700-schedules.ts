import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A schedule may have so many runs at once where its overlap policy is `allow`. */
const MAX_CONCURRENT = 100;

/**
 * Schedules and their slots. Who fires locks the workflow's row first and the schedule's second, like everybody who
 * locks both; who takes several workflows takes them in the order of their ids.
 */
export class Schedules1764000000700 implements MigrationInterface {
  name = 'Schedules1764000000700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workflow_schedules (
        id uuid CONSTRAINT workflow_schedules_pkey PRIMARY KEY,
        workflow_id uuid NOT NULL,
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
        created_by_id integer,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT workflow_schedules_kind_check CHECK (kind IN ('cron', 'interval', 'once')),
        CONSTRAINT workflow_schedules_state_check CHECK (state IN ('active', 'paused', 'completed', 'error')),
        CONSTRAINT workflow_schedules_policy_check CHECK (overlap_policy IN ('skip', 'queue_one', 'queue_all', 'allow')),
        CONSTRAINT workflow_schedules_due_check CHECK ((next_run_at IS NULL) = (due_at IS NULL)),
        CONSTRAINT workflow_schedules_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows (id) ON DELETE CASCADE,
        CONSTRAINT workflow_schedules_created_by_id_fkey FOREIGN KEY (created_by_id) REFERENCES users (id) ON DELETE SET NULL
      ) WITH (fillfactor = 60)`);
    await runner.query(
      'CREATE INDEX workflow_schedules_workflow_created ON workflow_schedules (workflow_id, created_at)',
    );
    await runner.query(
      `CREATE INDEX workflow_schedules_created_by_id ON workflow_schedules (created_by_id) WHERE created_by_id IS NOT NULL`,
    );
    await runner.query('CREATE INDEX workflow_schedules_due ON workflow_schedules (due_at) WHERE due_at IS NOT NULL');
    await runner.query(`
      CREATE TABLE workflow_schedule_slots (
        schedule_id uuid NOT NULL,
        slot_time timestamptz NOT NULL,
        outcome text NOT NULL,
        source text NOT NULL,
        started_id uuid NOT NULL,
        fired_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT workflow_schedule_slots_pkey PRIMARY KEY (schedule_id, slot_time),
        CONSTRAINT workflow_schedule_slots_outcome_check CHECK (outcome IN ('started', 'queued', 'skipped')),
        CONSTRAINT workflow_schedule_slots_source_check CHECK (source IN ('due', 'run', 'backfill')),
        CONSTRAINT workflow_schedule_slots_schedule_id_fkey FOREIGN KEY (schedule_id)
          REFERENCES workflow_schedules (id) ON DELETE CASCADE
      )`);
    await runner.query('CREATE INDEX workflow_schedule_slots_fired_at ON workflow_schedule_slots (fired_at)');
    await runner.query(
      `CREATE INDEX workflow_runs_active_schedule ON workflow_runs (schedule_id)
       WHERE schedule_id IS NOT NULL AND status IN ('PENDING', 'RUNNING')`,
    );
    await runner.query(
      `CREATE INDEX workflow_requests_waiting_schedule ON workflow_requests (schedule_id)
       WHERE schedule_id IS NOT NULL AND status = 'pending'`,
    );

    // What a run does to its schedule, whoever starts and ends it; the workflow's row is locked, or the run is concurrent.
    await runner.query(`
      CREATE FUNCTION workflow_schedule_run_started() RETURNS trigger
      LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE workflow_schedules SET last_run_at = now(), last_run_version = NEW.version, last_status = 'RUNNING'
        WHERE id = NEW.schedule_id;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER workflow_runs_schedule_started AFTER INSERT ON workflow_runs
      FOR EACH ROW WHEN (NEW.schedule_id IS NOT NULL) EXECUTE FUNCTION workflow_schedule_run_started()`);
    await runner.query(`
      CREATE FUNCTION workflow_schedule_run_ended() RETURNS trigger
      LANGUAGE plpgsql AS $$
      DECLARE
        v_message text := left(coalesce(NEW.error->>'message', 'The run failed.'), 500);
      BEGIN
        UPDATE workflow_schedules SET
          last_status = CASE WHEN last_run_version = NEW.version THEN NEW.status ELSE last_status END,
          last_error = CASE NEW.status WHEN 'FAILED' THEN v_message WHEN 'COMPLETED' THEN '' ELSE last_error END,
          failure_streak = CASE NEW.status WHEN 'FAILED' THEN failure_streak + 1 WHEN 'COMPLETED' THEN 0 ELSE failure_streak END
        WHERE id = NEW.schedule_id;
        IF NEW.status = 'FAILED' THEN
          UPDATE workflow_schedules SET state = 'paused', enabled = false, next_run_at = NULL, due_at = NULL,
            claimed_until = NULL, version = version + 1,
            last_error = left(format('Paused after %s failed runs in a row. %s', failure_streak, v_message), 500)
          WHERE id = NEW.schedule_id AND state = 'active' AND failure_streak >= pause_after_failures;
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER workflow_runs_schedule_ended AFTER UPDATE OF status ON workflow_runs
      FOR EACH ROW WHEN (NEW.schedule_id IS NOT NULL AND OLD.status IN ('PENDING', 'RUNNING')
        AND NEW.status NOT IN ('PENDING', 'RUNNING')) EXECUTE FUNCTION workflow_schedule_run_ended()`);

    // Steps of schedules, in one commit. advance: {version, expected, next, due, missed, state, error}, the plan that
    // this step replaces and the one that it makes; null where nothing is planned (by hand). slot: the time that fires,
    // null when it only advances. Times in milliseconds. outcome: started, concurrent, queued, skipped, queue_full,
    // owner_inactive, duplicate (it has fired before), stale (the plan is another by now), advanced, gone.
    await runner.query(`
      CREATE FUNCTION workflow_fire_slots(p_steps jsonb, p_queue_limit integer)
      RETURNS TABLE (place integer, outcome text, run_version integer, outbox_id bigint)
      LANGUAGE plpgsql AS $$
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
          SELECT * FROM jsonb_to_recordset(p_steps) AS s(place integer, schedule uuid, workflow uuid, advance jsonb,
            slot double precision, policy text, source text, "userId" integer, payload jsonb, id uuid, message jsonb)
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
              WHEN v_step.policy = 'skip' AND (v_own_active > 0 OR v_own_waiting) THEN 'skipped'
              WHEN v_step.policy = 'queue_one' AND v_own_waiting THEN 'skipped'
              WHEN NOT v_busy THEN 'started'
              WHEN v_step.policy = 'allow' THEN
                CASE WHEN v_own_active < ${MAX_CONCURRENT} THEN 'concurrent' ELSE 'skipped' END
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
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION workflow_fire_slots');
    for (const event of ['started', 'ended']) {
      await runner.query(`DROP TRIGGER workflow_runs_schedule_${event} ON workflow_runs`);
      await runner.query(`DROP FUNCTION workflow_schedule_run_${event}`);
    }
    await runner.query('DROP INDEX workflow_runs_active_schedule');
    await runner.query('DROP INDEX workflow_requests_waiting_schedule');
    for (const table of ['schedule_slots', 'schedules']) await runner.query(`DROP TABLE workflow_${table}`);
  }
}
