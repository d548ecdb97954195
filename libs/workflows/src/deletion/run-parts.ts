import { deleteInBatches } from './delete-in-batches.js';
import type { WorkflowPart } from './workflow-part.js';

const RUNS_OF_WORKFLOW = 'run_id IN (SELECT id FROM workflow_runs WHERE workflow_id = $1)';

/** Kept results. */
export const outputsPart: WorkflowPart = {
  name: 'outputs',
  tables: ['workflow_outputs'],
  order: 10,
  async countFor(workflowId, db) {
    const [row] = await db.query<[{ count: number; bytes: number }]>(
      `SELECT count(*)::int AS count, coalesce(sum(size_bytes), 0)::float8 AS bytes
       FROM workflow_outputs WHERE workflow_id = $1`,
      [workflowId],
    );
    return { outputs: row };
  },
  async deleteFor(workflowId, tx) {
    return { counts: { outputs: await deleteInBatches(tx, 'workflow_outputs', 'workflow_id = $1', [workflowId]) } };
  },
};

/** Outputs that are too large for a row. A trigger leaves their files to the sweeper. */
export const storedOutputsPart: WorkflowPart = {
  name: 'stored outputs',
  tables: ['workflow_stored_outputs'],
  order: 15,
  async countFor(workflowId, db) {
    const [row] = await db.query<[{ count: number; bytes: number }]>(
      `SELECT count(*)::int AS count, coalesce(sum(size_bytes), 0)::float8 AS bytes
       FROM workflow_stored_outputs WHERE ${RUNS_OF_WORKFLOW}`,
      [workflowId],
    );
    return { output_files: row };
  },
  async deleteFor(workflowId, tx) {
    const files = await deleteInBatches(tx, 'workflow_stored_outputs', RUNS_OF_WORKFLOW, [workflowId]);
    return { counts: { output_files: files } };
  },
};

/** Files that it wrote stay their owner's; only their owner sees them then. */
export const writtenFilesPart: WorkflowPart = {
  name: 'written files',
  tables: ['written_files'],
  async deleteFor(workflowId, tx) {
    await tx.query('UPDATE written_files SET workflow_id = NULL WHERE workflow_id = $1', [workflowId]);
    return { counts: {} };
  },
};

/** Runs with what they know of their nodes. */
export const runHistoryPart: WorkflowPart = {
  name: 'run history',
  tables: ['workflow_runs', 'workflow_run_nodes', 'workflow_run_items', 'workflow_signals'],
  order: 20,
  async countFor(workflowId, db) {
    const [row] = await db.query<[{ versions: number; nodes: number }]>(
      `SELECT (SELECT count(*)::int FROM workflow_runs WHERE workflow_id = $1) AS versions,
         (SELECT count(*)::int FROM workflow_run_nodes WHERE ${RUNS_OF_WORKFLOW}) AS nodes`,
      [workflowId],
    );
    return { run_history: { versions: row.versions }, node_runs: row.nodes };
  },
  async deleteFor(workflowId, tx) {
    await deleteInBatches(tx, 'workflow_run_items', RUNS_OF_WORKFLOW, [workflowId]);
    const nodes = await deleteInBatches(tx, 'workflow_run_nodes', RUNS_OF_WORKFLOW, [workflowId]);
    const runs = await deleteInBatches(tx, 'workflow_runs', 'workflow_id = $1', [workflowId]);
    return { counts: { run_history: runs, node_runs: nodes } };
  },
};
