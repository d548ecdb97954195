import { NotFoundError } from '@app/common';
import { type NodeStatus, showOutput } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { branchOf, RevisionCache } from '../revisions/revision-cache.js';
import type { RequestStatus } from './request-record.js';

export interface RequestResult {
  status: RequestStatus;
  runVersion: number | null;
  /** By node id: what the last completed nodes of each way through the graph gave. */
  output: Record<string, unknown>;
  error: { nodeId: string | null; code: string; message: string } | null;
}

interface ResultRow {
  status: RequestStatus;
  workflow_id: string;
  run_version: number | null;
  content_revision: number | null;
  run_id: string | null;
  start_node_id: string | null;
  run_to_the_end: boolean | null;
  error: RequestResult['error'];
  nodes: { id: string; status: NodeStatus; output: unknown }[] | null;
}

/** What came out of a request, for the caller who waited for it. */
@Injectable()
export class RequestResults {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revisions: RevisionCache,
  ) {}

  /** For the caller who was let in by its credential. @throws NotFoundError. */
  async get(requestId: string): Promise<RequestResult> {
    const [row] = await this.dataSource.query<ResultRow[]>(
      `SELECT q.status, q.workflow_id, q.run_version, r.content_revision, r.error, r.id AS run_id, r.start_node_id,
         r.run_to_the_end, (
         SELECT json_agg(json_build_object('id', n.node_id, 'status', n.status, 'output', n.output))
         FROM workflow_run_nodes n WHERE n.run_id = r.id) AS nodes
       FROM workflow_requests q LEFT JOIN workflow_runs r ON r.workflow_id = q.workflow_id AND r.version = q.run_version
       WHERE q.id = $1`,
      [requestId],
    );
    if (!row) throw new NotFoundError();
    const completed = new Map(
      row.nodes
        ?.filter(({ status }) => status === 'COMPLETED')
        .map(({ id, output }) => [id, showOutput(output, row.run_id!, id)]),
    );
    const revision =
      row.content_revision === null ? null : await this.revisions.get(row.workflow_id, row.content_revision);
    // What a branch was lent by the run before is no result of this one.
    const branch =
      revision && row.start_node_id !== null && branchOf(revision, row.start_node_id, !!row.run_to_the_end);
    if (branch) for (const id of completed.keys()) if (!branch.includes(id)) completed.delete(id);
    const last = revision?.nodes.filter(({ id, next }) => completed.has(id) && !next.some((one) => completed.has(one)));
    return {
      status: row.status,
      runVersion: row.run_version,
      output: Object.fromEntries((last ?? []).map(({ id }) => [id, completed.get(id) ?? null])),
      error: row.error,
    };
  }
}
