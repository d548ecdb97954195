import { ConflictError, NotFoundError } from '@app/common';
import { type NodeStatus, parseDefinition, type ToolCatalogue } from '@app/workflow-definition';
import type { DataSource } from 'typeorm';
import { branchOf, type Revision, type RevisionCache } from '../revisions/revision-cache.js';
import type { WorkflowAccess } from '../access/workflow-access.js';
import type { RunControl } from '../runs/run-control.js';
import { type EndedNode, isFinished, reusableNodes } from './retry-plan.js';

export interface RetryRequest {
  /** `failed`: what finished is taken over. */
  from: 'failed' | 'start';
  /** The definition that the run had, or the newest. */
  spec: 'original' | 'latest';
  saveOutputs: boolean;
}

interface EndedRun {
  content_revision: number;
  newest_revision: number;
  finished_at: Date | null;
  payload: Record<string, unknown> | null;
  start_node_id: string | null;
  run_to_the_end: boolean;
  nodes: { node_id: string; status: NodeStatus; handled: boolean }[] | null;
}

/** Runs an ended run once more (docs/contract/workflows.md#history). */
export class RunRetry {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly revisions: RevisionCache,
    private readonly runs: RunControl,
    private readonly catalogue: ToolCatalogue,
  ) {}

  /**
   * With the payload of the old run; a branch stays a branch.
   * @returns the version of the new run, and how many nodes keep their results.
   * @throws NotFoundError, ForbiddenError for viewers; ConflictError `run_active`, or `spec_incompatible` with
   *   `missing_nodes`: nodes whose results the definition has no place for
   */
  async retry(
    userId: number,
    workflowId: string,
    version: number,
    { from, spec, saveOutputs }: RetryRequest,
  ): Promise<{ version: number; nodesReused: number }> {
    await this.access.require(userId, workflowId, 'editor');
    const run = await this.getEnded(workflowId, version);
    const contentRevision = spec === 'latest' ? run.newest_revision : run.content_revision;
    const revision = await this.revisions.get(workflowId, contentRevision);
    const nodeIds = from === 'failed' ? await this.planReuse(workflowId, run, revision) : [];
    const branch =
      run.start_node_id === null
        ? undefined
        : { startNodeId: run.start_node_id, runToTheEnd: run.run_to_the_end, saveOutputs };
    if (branch && !revision.nodes.some(({ id }) => id === branch.startNodeId)) throw incompatible([branch.startNodeId]);
    const started = await this.runs.start(workflowId, {
      trigger: branch ? 'branch' : 'manual',
      userId,
      needed: 'editor',
      payload: run.payload,
      saveOutputs,
      supersede: false,
      contentRevision,
      reuse: { version, nodeIds },
      ...(branch && { branch }),
    });
    return { version: started, nodesReused: nodeIds.length };
  }

  private async getEnded(workflowId: string, version: number): Promise<EndedRun> {
    const [run] = await this.dataSource.query<EndedRun[]>(
      `SELECT r.content_revision, w.content_revision AS newest_revision, r.finished_at, r.payload, r.start_node_id,
         r.run_to_the_end, (
           SELECT jsonb_agg(jsonb_build_object('node_id', n.node_id, 'status', n.status, 'handled', n.handled))
           FROM workflow_run_nodes n WHERE n.run_id = r.id) AS nodes
       FROM workflow_runs r JOIN workflows w ON w.id = r.workflow_id
       WHERE r.workflow_id = $1 AND r.version = $2`,
      [workflowId, version],
    );
    if (!run) throw new NotFoundError('Run not found.', { code: 'run_not_found' });
    if (run.finished_at === null) throw new ConflictError('This run is still active.', { code: 'run_active' });
    return run;
  }

  private async planReuse(workflowId: string, run: EndedRun, revision: Revision): Promise<string[]> {
    const original = await this.revisions.get(workflowId, run.content_revision);
    const [before, now] = [kindsOf(original), kindsOf(revision)];
    const ended = (run.nodes ?? []).map(({ node_id: nodeId, status, handled }): EndedNode => {
      return { nodeId, status, handled };
    });
    const missing = ended.filter((node) => isFinished(node) && !now.has(node.nodeId));
    if (missing.length > 0) throw incompatible(missing.map(({ nodeId }) => nodeId));
    const { graph } = parseDefinition(revision.jsonSpec, undefined, this.catalogue);
    if (!graph) throw incompatible([]);
    // A node of another kind makes something else of its inputs.
    const same = ended.filter(({ nodeId }) => before.get(nodeId) === now.get(nodeId));
    const { start_node_id: start, run_to_the_end: toTheEnd } = run;
    return reusableNodes(graph, same, start === null ? null : branchOf(revision, start, toTheEnd));
  }
}

function kindsOf({ nodes }: Revision): Map<string, string> {
  return new Map(nodes.map(({ id, kind }) => [id, kind]));
}

function incompatible(missing: string[]): ConflictError {
  return new ConflictError('The definition does not fit what this run has finished.', {
    code: 'spec_incompatible',
    extra: { missing_nodes: missing },
  });
}
