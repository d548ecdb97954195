import type { RunStatus } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { revisionAt } from '../revisions/loop-bodies.js';
import { RevisionCache } from '../revisions/revision-cache.js';
import { OutputFiles } from '../outputs/output-files.js';
import { bodyPathOf } from './child-runs.js';
import { outputNodesOf, runResult } from './run-result.js';

export interface RunResult {
  runId: string;
  status: RunStatus;
  error: { nodeId: string | null; code: string; message: string } | null;
  /** The only node whose output is the result; null when several may be. */
  outputNodeId: string | null;
  /** As of now; null while no output node has completed. */
  result: unknown;
}

/** What runs are for, while they work and afterwards. */
@Injectable()
export class RunResults {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revisions: RevisionCache,
    private readonly files: OutputFiles,
  ) {}

  /** For a caller who has checked access. Null when there is no such run (any more). */
  async find(workflowId: string, version: number): Promise<RunResult | null> {
    const [row] = await this.dataSource.query<
      (Pick<RunResult, 'status' | 'error'> & { id: string; content_revision: number; body_path: string[] | null })[]
    >(
      `SELECT r.id, r.status, r.error, r.content_revision, ${bodyPathOf('r')} AS body_path FROM workflow_runs r
       WHERE r.workflow_id = $1 AND r.version = $2`,
      [workflowId, version],
    );
    if (!row) return null;
    const revision = revisionAt(await this.revisions.get(workflowId, row.content_revision), row.body_path ?? []);
    if (!revision) return null;
    const nodes = outputNodesOf(revision);
    const states = await this.dataSource.query<{ node_id: string; output: unknown }[]>(
      `SELECT node_id, output FROM workflow_run_nodes WHERE run_id = $1 AND status = 'COMPLETED' AND node_id = ANY($2)`,
      [row.id, nodes],
    );
    const outputs = new Map<string, unknown>();
    for (const { node_id: nodeId, output } of states)
      outputs.set(nodeId, await this.files.resolve(output, row.id, nodeId));
    const outputNodeId = nodes.length === 1 ? nodes[0]! : null;
    return { runId: row.id, status: row.status, error: row.error, outputNodeId, result: runResult(revision, outputs) };
  }
}
