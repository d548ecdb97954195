import { toJsonText } from '@app/common';
import { RESPOND_KIND } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { everyNode } from '../revisions/loop-bodies.js';
import { type Revision, RevisionCache } from '../revisions/revision-cache.js';
import { RunAnnouncer } from '../runs/run-announcer.js';
import { BODY_KEY } from '../runs/run-store.js';

/** What the caller of a webhook gets in place of our own answer. */
export interface CallAnswer {
  /** 200 to 599. */
  status: number;
  /** Lower case names of the allow-list of the `respond` kind. */
  headers: Record<string, string>;
  body: Buffer;
}

/** What `respond` nodes say to the callers who wait: a row, which the api finds whichever process wrote it. */
@Injectable()
export class RequestAnswers {
  private readonly known = new WeakMap<Revision, boolean>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly revisions: RevisionCache,
    private readonly announcer: RunAnnouncer,
  ) {}

  /**
   * Answers the call that the run serves; a run of the body of a loop serves the call of the run around it, and a
   * sub-workflow serves none. The first answer of a run counts; that of a later run of the same call takes its place.
   * @param key of run and node: asking again with it is the same answer.
   * @returns false when there is no call to answer, or it was answered by another node.
   */
  async give(runId: string, key: string, { status, headers, body }: CallAnswer): Promise<boolean> {
    const [row] = await this.dataSource.query<{ workflow_id: string; version: number; is_new: boolean }[]>(
      `WITH RECURSIVE line AS (
         SELECT id, workflow_id, version, parent_run_id, parent_key, queue_request_id FROM workflow_runs WHERE id = $1
         UNION ALL
         SELECT up.id, up.workflow_id, up.version, up.parent_run_id, up.parent_key, up.queue_request_id
         FROM line l JOIN workflow_runs up ON up.id = l.parent_run_id WHERE l.parent_key LIKE '${BODY_KEY}%'),
       call AS (
         SELECT q.id, q.workflow_id, l.version FROM line l
         JOIN workflow_requests q ON q.id = l.queue_request_id AND q.run_version = l.version
         WHERE l.parent_run_id IS NULL AND q.schedule_id IS NULL),
       written AS (
         INSERT INTO workflow_responses (request_id, run_version, answered_by, status, headers, body)
         SELECT id, version, $2, $3, $4::jsonb, $5 FROM call
         ON CONFLICT (request_id) DO UPDATE SET run_version = excluded.run_version, answered_by = excluded.answered_by,
           status = excluded.status, headers = excluded.headers, body = excluded.body, created_at = now()
         WHERE workflow_responses.run_version < excluded.run_version
         RETURNING 1)
       SELECT c.workflow_id, c.version, EXISTS (SELECT 1 FROM written) AS is_new FROM call c
       WHERE EXISTS (SELECT 1 FROM written) OR EXISTS (
         SELECT 1 FROM workflow_responses a
         WHERE a.request_id = c.id AND a.run_version = c.version AND a.answered_by = $2)`,
      [runId, key, status, toJsonText(headers), body],
    );
    if (row?.is_new) this.announcer.nodesChanged(row.workflow_id, row.version);
    return row !== undefined;
  }

  /** What the newest run of the call answered; null as long as it has not. */
  async find(requestId: string): Promise<CallAnswer | null> {
    const [row] = await this.dataSource.query<CallAnswer[]>(
      `SELECT a.status, a.headers, a.body FROM workflow_responses a
       JOIN workflow_requests q ON q.id = a.request_id AND q.run_version = a.run_version WHERE a.request_id = $1`,
      [requestId],
    );
    return row ?? null;
  }

  /** Whether the next run by a trigger has a node that answers, so that a caller is kept waiting for it. */
  async areExpected(workflowId: string): Promise<boolean> {
    const revision = await this.revisions.getForTriggers(workflowId);
    const known = this.known.get(revision);
    if (known !== undefined) return known;
    const found = [...everyNode(revision)].some(({ node }) => node.kind === RESPOND_KIND);
    this.known.set(revision, found);
    return found;
  }
}
