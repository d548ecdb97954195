import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Outputs that are too large for a row. The row of their node holds `{"$stored": {key, size, sha256, preview}}` instead;
 * triggers keep `workflow_stored_outputs` in step with such rows, whoever writes, copies or deletes them, so that a file
 * belongs to at least one run or is loose.
 */
export class RunFiles1764000000500 implements MigrationInterface {
  name = 'RunFiles1764000000500';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}

/** With \`usage\`, what a node used of a language model; the run's row holds the sum. */
const writeNodes = `
  CREATE OR REPLACE FUNCTION workflow_write_nodes(p_run uuid, p_nodes jsonb) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO workflow_run_nodes AS known (run_id, node_id, status, attempt, output, chosen, error, handled,
      waiting, warnings, started_at, finished_at, batch_total, batch_completed, usage)
    SELECT p_run, n."nodeId", n.status, n.attempt, nullif(n.output, 'null'), nullif(n.chosen, 'null'),
      nullif(n.error, 'null'), n.handled, nullif(n.waiting, 'null'), n.warnings,
      to_timestamp(n."startedAt" / 1000.0), to_timestamp(n."finishedAt" / 1000.0), n."batchTotal", n."batchCompleted",
      nullif(n.usage, 'null')
    FROM jsonb_to_recordset(p_nodes) AS n("nodeId" text, status text, attempt integer, output jsonb, chosen jsonb,
      error jsonb, handled boolean, waiting jsonb, warnings jsonb, "startedAt" double precision,
      "finishedAt" double precision, "batchTotal" integer, "batchCompleted" integer, usage jsonb)
    ON CONFLICT (run_id, node_id) DO UPDATE SET status = excluded.status, attempt = excluded.attempt,
      output = excluded.output, chosen = excluded.chosen, error = excluded.error, handled = excluded.handled,
      waiting = excluded.waiting, warnings = excluded.warnings, started_at = excluded.started_at,
      finished_at = excluded.finished_at, batch_total = excluded.batch_total,
      batch_completed = excluded.batch_completed, usage = coalesce(excluded.usage, known.usage);
    IF p_nodes @? '$[*].consumed' THEN
      UPDATE workflow_signals s SET consumed = true
      FROM jsonb_to_recordset(p_nodes) AS n("nodeId" text, consumed jsonb)
      WHERE s.run_id = p_run AND s.node_id = n."nodeId" AND n.consumed ? s.wait_id AND NOT s.consumed;
    END IF;
    IF p_nodes @? '$[*].usage' THEN
      UPDATE workflow_runs r SET tokens = used.tokens, spend = used.spend
      FROM (SELECT coalesce(sum((usage->>'tokens')::bigint), 0) AS tokens,
              coalesce(sum((usage->>'spend')::numeric), 0) AS spend
            FROM workflow_run_nodes WHERE run_id = p_run) used
      WHERE r.id = p_run;
    END IF;
  END $$`;

const up = [
  'ALTER TABLE workflow_run_nodes ADD usage jsonb',
  writeNodes,

  `CREATE TABLE workflow_stored_outputs (
    run_id uuid NOT NULL,
    node_id text NOT NULL,
    storage_key text NOT NULL,
    size_bytes bigint NOT NULL,
    sha256 text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT workflow_stored_outputs_pkey PRIMARY KEY (run_id, node_id),
    CONSTRAINT workflow_stored_outputs_run_id_fkey FOREIGN KEY (run_id) REFERENCES workflow_runs (id) ON DELETE CASCADE
  )`,
  'CREATE INDEX workflow_stored_outputs_key ON workflow_stored_outputs (storage_key)',

  // A file is announced as loose before it is written. A row that is copied shares the file of the one it comes from.
  `CREATE FUNCTION workflow_adopt_output() RETURNS trigger
  LANGUAGE plpgsql AS $$
  DECLARE
    v_file jsonb := new.output->'$stored';
    v_key text := v_file->>'key';
  BEGIN
    PERFORM 1 FROM workflow_stored_outputs
    WHERE run_id = new.run_id AND node_id = new.node_id AND storage_key = v_key;
    IF FOUND THEN RETURN NULL; END IF;
    DELETE FROM loose_files WHERE storage_key = v_key;
    IF NOT FOUND THEN
      PERFORM 1 FROM workflow_stored_outputs WHERE storage_key = v_key FOR KEY SHARE;
      IF NOT FOUND THEN RAISE EXCEPTION 'The stored output % is gone.', v_key; END IF;
    END IF;
    DELETE FROM workflow_stored_outputs WHERE run_id = new.run_id AND node_id = new.node_id;
    INSERT INTO workflow_stored_outputs (run_id, node_id, storage_key, size_bytes, sha256)
    VALUES (new.run_id, new.node_id, v_key, (v_file->>'size')::bigint, v_file->>'sha256');
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER workflow_run_nodes_adopt_output AFTER INSERT OR UPDATE OF output ON workflow_run_nodes
  FOR EACH ROW WHEN (new.output ? '$stored') EXECUTE FUNCTION workflow_adopt_output()`,

  // Of several who let go of one file at once, each waits for the one before, and the last one makes it loose.
  `CREATE FUNCTION workflow_release_output() RETURNS trigger
  LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM 1 FROM workflow_stored_outputs WHERE storage_key = old.storage_key;
    IF FOUND THEN
      PERFORM pg_advisory_xact_lock(hashtextextended(old.storage_key, 0));
      PERFORM 1 FROM workflow_stored_outputs WHERE storage_key = old.storage_key;
      IF FOUND THEN RETURN NULL; END IF;
    END IF;
    INSERT INTO loose_files (storage_key, removable_at) VALUES (old.storage_key, now())
    ON CONFLICT (storage_key) DO UPDATE SET removable_at = excluded.removable_at;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER workflow_stored_outputs_release AFTER DELETE ON workflow_stored_outputs
  FOR EACH ROW EXECUTE FUNCTION workflow_release_output()`,

  `ALTER TABLE workflow_outputs
    ADD title text NOT NULL DEFAULT '',
    ADD media_path text,
    ADD mime_type text NOT NULL DEFAULT 'application/json',
    ADD mgid text,
    ADD artifact_id text,
    ADD table_id text`,
  `CREATE OR REPLACE FUNCTION workflow_write_outputs(p_workflow uuid, p_run uuid, p_outputs jsonb) RETURNS void
  LANGUAGE sql AS $$
    INSERT INTO workflow_outputs (id, workflow_id, run_id, node_id, node_name, kind, type, value, size_bytes, title,
      media_path, mime_type, mgid, artifact_id, table_id)
    SELECT o.id, p_workflow, p_run, o."nodeId", o."nodeName", o.kind, o.type, nullif(o.value, 'null'), o."sizeBytes",
      o.title, o."mediaPath", o."mimeType", o.mgid, o."artifactId", o."tableId"
    FROM jsonb_to_recordset(p_outputs) AS o(id uuid, "nodeId" text, "nodeName" text, kind text, type text,
      value jsonb, "sizeBytes" integer, title text, "mediaPath" text, "mimeType" text, mgid text, "artifactId" text,
      "tableId" text)
    ON CONFLICT DO NOTHING
  $$`,

  `ALTER TABLE written_files
    ADD idempotency_key text,
    ADD workflow_id uuid,
    ADD CONSTRAINT written_files_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows (id) ON DELETE SET NULL`,
  `CREATE UNIQUE INDEX written_files_idempotency_key ON written_files (owner_id, idempotency_key)
   WHERE idempotency_key IS NOT NULL`,
  `CREATE INDEX written_files_workflow_id ON written_files (workflow_id) WHERE workflow_id IS NOT NULL`,
];

const down = [
  'DROP INDEX written_files_workflow_id',
  'DROP INDEX written_files_idempotency_key',
  'ALTER TABLE written_files DROP workflow_id, DROP idempotency_key',
  `ALTER TABLE workflow_outputs DROP title, DROP media_path, DROP mime_type, DROP mgid, DROP artifact_id, DROP table_id`,
  `CREATE OR REPLACE FUNCTION workflow_write_outputs(p_workflow uuid, p_run uuid, p_outputs jsonb) RETURNS void
  LANGUAGE sql AS $$
    INSERT INTO workflow_outputs (id, workflow_id, run_id, node_id, node_name, kind, type, value, size_bytes)
    SELECT o.id, p_workflow, p_run, o."nodeId", o."nodeName", o.kind, o.type, o.value, o."sizeBytes"
    FROM jsonb_to_recordset(p_outputs) AS o(id uuid, "nodeId" text, "nodeName" text, kind text, type text,
      value jsonb, "sizeBytes" integer)
    ON CONFLICT DO NOTHING
  $$`,
  'DROP TRIGGER workflow_run_nodes_adopt_output ON workflow_run_nodes',
  // Its trigger leaves the files to the sweeper; the rows that refer to them lose their outputs.
  'DELETE FROM workflow_stored_outputs',
  'DROP TABLE workflow_stored_outputs',
  'DROP FUNCTION workflow_adopt_output',
  'DROP FUNCTION workflow_release_output',
  `UPDATE workflow_run_nodes SET output = NULL WHERE output ? '$stored'`,
  writeNodes
    .replaceAll(', usage = coalesce(excluded.usage, known.usage)', '')
    .replace('batch_completed, usage)', 'batch_completed)')
    .replace(`n."batchCompleted",\n      nullif(n.usage, 'null')`, 'n."batchCompleted"')
    .replace('"batchCompleted" integer, usage jsonb)', '"batchCompleted" integer)')
    .replace(/\n {4}IF p_nodes @\? '\$\[\*\]\.usage'[\s\S]*?END IF;/, ''),
  'ALTER TABLE workflow_run_nodes DROP usage',
];
