import { workflowOwnerIsActive, workflowRole } from '@app/access';
import { derivedId, toJsonText } from '@app/common';
import { executeRunJob } from '@app/contracts';
import type { Outbox } from '@app/queues';
import {
  type ChildEnd,
  holdsJsonText,
  JsonText,
  StoredOutput,
  withoutSystemKeys,
  writeJson,
} from '@app/workflow-definition';
import type { DataSource } from 'typeorm';
import { revisionAt } from '../revisions/loop-bodies.js';
import { heldBytes, isHeld } from '../engine/held-input.js';
import type { OutputFiles } from '../outputs/output-files.js';
import type { RevisionCache } from '../revisions/revision-cache.js';
import type { SharedApps } from '../access/shared-apps.js';
import { toOutput } from './node-state-row.js';
import { outputNodesOf, runResult } from './run-result.js';
import { BODY_KEY, type ChildRun, type ChildStart, type RunHandle } from './run-store.js';

/** Levels of runs that start runs, the first included. */
const MAX_DEPTH = 10;
/** So many child runs of one workflow may be active: whoever calls himself would fill the queue for everybody. */
const MAX_ACTIVE_CHILDREN = 1_000;

/** Of what a run hands to the one that started it. */
const MAX_RESULT_BYTES = 20 * 1024 * 1024;
const tooLarge = {
  nodeId: null,
  code: 'output_too_large',
  message: `The result is larger than ${MAX_RESULT_BYTES} bytes.`,
};

/** SQL: the nodes whose bodies lead to the definition of the run under `alias`; null for a whole workflow. */
export function bodyPathOf(alias: string): string {
  return `CASE WHEN ${alias}.parent_key LIKE '${BODY_KEY}%' THEN (
    WITH RECURSIVE line AS (
      SELECT ${alias}.parent_run_id, ${alias}.parent_node_id, ${alias}.parent_key, 1 AS depth
      UNION ALL
      SELECT up.parent_run_id, up.parent_node_id, up.parent_key, l.depth + 1
      FROM line l JOIN workflow_runs up ON up.id = l.parent_run_id WHERE l.parent_key LIKE '${BODY_KEY}%')
    SELECT array_agg(parent_node_id ORDER BY depth DESC) FROM line WHERE parent_key LIKE '${BODY_KEY}%') END`;
}

/**
 * SQL: `acts_as` of the runs whose outputs the run under `alias`, or the run whose body it is, took over; null for a run
 * that took over none. What stands in such outputs was decided by whoever its node was then.
 */
export function pastActorsOf(alias: string): string {
  return `CASE WHEN ${alias}.parent_version IS NOT NULL OR ${alias}.parent_key LIKE '${BODY_KEY}%' THEN (
    WITH RECURSIVE up AS (
      SELECT ${alias}.parent_run_id, ${alias}.parent_version
      UNION ALL
      SELECT r.parent_run_id, r.parent_version FROM up JOIN workflow_runs r ON r.id = up.parent_run_id
      WHERE r.workflow_id = ${alias}.workflow_id),
    past AS (
      SELECT r.parent_version, r.content_revision
      FROM up JOIN workflow_runs r ON r.workflow_id = ${alias}.workflow_id AND r.version = up.parent_version
      UNION
      SELECT r.parent_version, r.content_revision
      FROM past JOIN workflow_runs r ON r.workflow_id = ${alias}.workflow_id AND r.version = past.parent_version)
    SELECT jsonb_agg(DISTINCT v.acts_as) FROM past JOIN workflow_revisions v
      ON v.workflow_id = ${alias}.workflow_id AND v.content_revision = past.content_revision
    WHERE v.acts_as IS NOT NULL) END`;
}

interface AllowedRow {
  depth: number;
  active: number;
  correlation_id: string | null;
  is_app: boolean;
  is_alive: boolean;
}

interface EndRow {
  id: string;
  parent_key: string;
  version: number;
  workflow_id: string;
  content_revision: number;
  status: ChildEnd['status'];
  error: ChildEnd['error'];
  body_path: string[] | null;
}

/** Runs that nodes of other runs start and wait for. */
export class ChildRuns {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly revisions: RevisionCache,
    private readonly files: OutputFiles,
    private readonly apps: Pick<SharedApps, 'bringUpToDate'>,
  ) {}

  /** @param own the parent's workflow and the revision that it is pinned to. */
  async start(
    run: RunHandle,
    child: ChildRun,
    own: { workflowId: string; contentRevision: number },
  ): Promise<ChildStart> {
    const isBody = child.workflowId === null;
    if (isBody !== child.key.startsWith(BODY_KEY)) throw new Error(`${child.key} is not the key of such a run.`);
    const workflowId = child.workflowId ?? own.workflowId;
    const runId = derivedId(run.runId, `${child.nodeId}:${child.key}`);
    const message = this.outbox.prepare(executeRunJob, { runId, fence: 0 });
    const [allowed] = await this.dataSource.query<AllowedRow[]>(
      `WITH RECURSIVE line AS (
         SELECT id, parent_run_id, workflow_id, correlation_id, 1 AS depth FROM workflow_runs WHERE id = $1
         UNION ALL
         SELECT r.id, r.parent_run_id, r.workflow_id, r.correlation_id, l.depth + 1
         FROM line l JOIN workflow_runs r ON r.id = l.parent_run_id WHERE l.depth <= ${MAX_DEPTH})
       SELECT (SELECT max(depth) FROM line)::int AS depth, l.correlation_id, w.app_of_id IS NOT NULL AS is_app,
         ${workflowOwnerIsActive('w.id')} AS is_alive, (
         SELECT count(*) FROM (
           SELECT 1 FROM workflow_runs a WHERE a.workflow_id = w.id AND a.status IN ('PENDING', 'RUNNING') AND a.is_concurrent
           LIMIT ${MAX_ACTIVE_CHILDREN}) AS counted)::int AS active
       FROM line l JOIN workflows own ON own.id = l.workflow_id
       JOIN workflows w ON w.id = $2 AND w.deleted_at IS NULL
         AND ($3 OR ${workflowRole('w', 'coalesce($4, own.owner_id)')} IN ('owner', 'editor', 'runner'))
       WHERE l.id = $1`,
      // Its own body is part of the workflow that runs already.
      [run.runId, workflowId, isBody, child.actorId ?? null],
    );
    if (!allowed) return { kind: 'not_found' };
    // Its own body rests with it; another's would be waited for without an end.
    if (!allowed.is_alive && !isBody) return { kind: 'owner_inactive' };
    if (allowed.depth >= MAX_DEPTH) return { kind: 'too_deep' };
    if (allowed.active >= MAX_ACTIVE_CHILDREN) return { kind: 'too_many' };
    if (allowed.is_app && !isBody && (await this.apps.bringUpToDate(workflowId))?.mayRun === false)
      return { kind: 'consent_required' };
    const origin = {
      trigger: 'api',
      isConcurrent: true,
      parentRunId: run.runId,
      parentNodeId: child.nodeId,
      parentKey: child.key,
      ...(isBody && { contentRevision: own.contentRevision }),
    };
    const [row] = await this.dataSource.query<{ outcome: string; outbox_id: string | null }[]>(
      'SELECT * FROM workflow_start_run($1, $2, $3::jsonb, false, $4::json, NULL, true, true, $5, $6::jsonb)',
      [
        workflowId,
        runId,
        toJsonText(origin),
        // A body is told its item; another workflow gets what its caller wrote, and that is never the platform's own.
        child.payload && toJsonText(isBody ? child.payload : handedOn(child.payload)),
        allowed.correlation_id,
        toJsonText(message),
      ],
    );
    if (row?.outbox_id) this.outbox.publishSoon([this.outbox.adopt(message, row.outbox_id)]);
    if (!row || row.outcome === 'gone') return { kind: 'not_found' };
    return row.outcome === 'parent_ended' ? { kind: 'abandoned' } : { kind: 'started', runId };
  }

  async ends(parentRunId: string, nodeId: string, keys: readonly string[]): Promise<ChildEnd[]> {
    const rows = await this.dataSource.query<EndRow[]>(
      `SELECT c.id, c.parent_key, c.version, c.workflow_id, c.content_revision, c.status, c.error,
         ${bodyPathOf('c')} AS body_path
       FROM workflow_runs c
       WHERE c.parent_run_id = $1 AND c.id = ANY($2::uuid[]) AND c.status NOT IN ('PENDING', 'RUNNING')`,
      [parentRunId, keys.map((key) => derivedId(parentRunId, `${nodeId}:${key}`))],
    );
    return Promise.all(rows.map((row) => this.toEnd(row)));
  }

  async stop(parentRunId: string, nodeId: string, keys: readonly string[], reason: string): Promise<void> {
    await this.dataSource.query(
      `SELECT workflow_stop_run(c.id, $3, jsonb_build_object('nodeId', NULL, 'code', 'stopped', 'message', $3::text))
       FROM workflow_runs c
       WHERE c.parent_run_id = $1 AND c.id = ANY($2::uuid[]) AND c.status IN ('PENDING', 'RUNNING')`,
      [parentRunId, keys.map((key) => derivedId(parentRunId, `${nodeId}:${key}`)), reason],
    );
  }

  private async toEnd(row: EndRow): Promise<ChildEnd> {
    const { id: runId, parent_key: key, version, status, error } = row;
    const end = { key, runId, version, status, error };
    if (status !== 'COMPLETED') return { ...end, result: null };
    const whole = await this.revisions.get(row.workflow_id, row.content_revision);
    const revision = revisionAt(whole, row.body_path ?? []);
    if (!revision) return { ...end, result: null };
    const outputs = await this.dataSource.query<{ node_id: string; output_text: string | null }[]>(
      `SELECT node_id, output::text AS output_text FROM workflow_run_nodes
       WHERE run_id = $1 AND status = 'COMPLETED' AND node_id = ANY($2)`,
      [runId, outputNodesOf(revision)],
    );
    const held = new Map(outputs.map(({ node_id, output_text }) => [node_id, toOutput(output_text ?? 'null')]));
    const bytes = [...held.values()].reduce<number>((sum, one) => sum + (isHeld(one) ? heldBytes(one) : 0), 0);
    if (bytes > MAX_RESULT_BYTES) return { ...end, status: 'FAILED', error: tooLarge, result: null };
    const results = new Map<string, unknown>();
    for (const [nodeId, output] of held)
      results.set(nodeId, output instanceof StoredOutput ? await this.files.text(output) : output);
    const result = runResult(revision, results);
    return { ...end, result: holdsJsonText(result) ? new JsonText(writeJson(result)) : result };
  }
}

/** Item and index are the loop's own to tell; nothing else that the platform tells runs of may be made up. */
function handedOn(payload: Record<string, unknown>): Record<string, unknown> {
  const own = Object.entries(payload).filter(([key]) => key === '_item' || key === '_index');
  return { ...withoutSystemKeys(payload), ...Object.fromEntries(own) };
}
