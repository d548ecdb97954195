import type { RunStatus } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type QuestionData, toQuestionData } from '../progress/question-data.js';
import { revisionAt } from '../revisions/loop-bodies.js';
import { type ActorsRow, actorsOf, ShownActors } from '../actors/shown-actors.js';
import { type NodeRow, toNodeRows } from '../progress/node-rows.js';
import { RevisionCache } from '../revisions/revision-cache.js';
import { bodyPathOf } from '../runs/child-runs.js';
import { nodeRow, type NodeStateRow } from '../runs/node-state-row.js';

export interface AskedQuestion {
  nodeId: string;
  /** Of the node execution. */
  nodeExecutionId: string;
  data: QuestionData;
}

/** A run as it stands, and what of it is new. */
export interface RunChange {
  /** Everything that was committed before it has been seen; say it again to learn what came after. */
  position: string;
  status: RunStatus;
  isActive: boolean;
  /** All nodes, or those that were written since the position; in the order of the definition. */
  nodes: NodeRow[];
  /** Ids of those that were written since the position. One may be named again although it is the same. */
  changed: ReadonlySet<string>;
  /** What the nodes wait to be told. */
  questions: AskedQuestion[];
}

interface ChangeRow {
  position: string;
  run_id: string;
  run_version: number;
  body_path: string[] | null;
  content_revision: number;
  status: RunStatus;
  payload: Record<string, unknown> | null;
  start_node_id: string | null;
  run_changed: boolean;
  actors: ActorsRow | null;
  nodes: (NodeStateRow & { changed: boolean })[] | null;
}

/**
 * Follows a run through what Postgres writes anyway: each row carries the transaction that wrote it, and a snapshot
 * knows below which one all are done. So the writers keep no log, and any process can go on where another one left off.
 */
@Injectable()
export class RunChanges {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revisions: RevisionCache,
  ) {}

  /** Whether the text can be a position of this database: not made up, not of before a restore. */
  async isKnown(position: string): Promise<boolean> {
    if (!/^\d{1,19}$/.test(position)) return false;
    const [row] = await this.dataSource.query<[{ known: boolean }]>(
      `SELECT $1::numeric <= pg_snapshot_xmax(pg_current_snapshot())::text::numeric
         AND $1::numeric > pg_snapshot_xmax(pg_current_snapshot())::text::numeric - 1000000000 AS known`,
      [position],
    );
    return row.known;
  }

  /**
   * For a caller who has checked access.
   * @param since a position; null: everything counts as changed
   * @param whole also the nodes that have not changed
   * @returns null when there is no such run (any more)
   */
  async read(workflowId: string, version: number, since: string | null, whole: boolean): Promise<RunChange | null> {
    const [row] = await this.dataSource.query<ChangeRow[]>(
      `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS position, r.id AS run_id, r.version AS run_version,
         r.content_revision, r.status, ${bodyPathOf('r')} AS body_path,
         r.payload, r.start_node_id, ${isNew('r')} AS run_changed, ${actorsOf('r.workflow_id', 'r.content_revision')} AS actors,
         (SELECT json_agg(${nodeRow('n', 'n.output', `, 'changed', ${isNew('n')}`)})
          FROM workflow_run_nodes n WHERE n.run_id = r.id AND ($4 OR ${isNew('n')})) AS nodes
       FROM workflow_runs r WHERE r.workflow_id = $1 AND r.version = $2`,
      [workflowId, version, since, whole],
    );
    if (!row) return null;
    const revision = revisionAt(await this.revisions.get(workflowId, row.content_revision), row.body_path ?? []);
    if (!revision) return null;
    const states = row.nodes ?? [];
    const isActive = row.status === 'PENDING' || row.status === 'RUNNING';
    const changed = new Set(states.filter((state) => state.changed).map(({ node_id }) => node_id));
    const known = new Set(states.map(({ node_id }) => node_id));
    const actors = new ShownActors(row.actors, row.body_path ?? []);
    const nodes = toNodeRows(workflowId, revision, row, actors).filter(({ nodeId }) => whole || known.has(nodeId));
    // Nodes without a row change with their run, when that ends.
    if (whole && row.run_changed && !isActive)
      for (const { nodeId } of nodes) if (!known.has(nodeId)) changed.add(nodeId);
    const idOf = new Map(nodes.map(({ nodeId, id }) => [nodeId, id]));
    return {
      position: row.position,
      status: row.status,
      isActive,
      nodes,
      changed,
      questions: states.flatMap(({ node_id: nodeId, status, waiting }) => {
        const data =
          status === 'WAITING' && waiting ? toQuestionData({ runId: row.run_id, version }, nodeId, waiting) : null;
        return data ? [{ nodeId, nodeExecutionId: idOf.get(nodeId)!, data }] : [];
      }),
    };
  }
}

/** SQL: whether the row was written by a transaction that was not over at the position `$3`. */
function isNew(alias: string): string {
  return `($3::text IS NULL OR age(${alias}.xmin) <= age($3::xid8::xid))`;
}
