import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { newId, toJsonText } from '@app/common';
import { FileMissingError, type FileStorage } from '@app/integrations';
import type { DataSource, EntityManager } from 'typeorm';
import type { Revision } from '../definitions/revision-cache.js';
import { isTerminalNodeStatus, type NodeState } from '../engine/node-state.js';
import type { RunHandle } from '../runs/run-store.js';
import { MAX_INLINE_OUTPUT_BYTES, PREVIEW_LENGTH, STORED_KEY, StoredOutput } from './stored-output.js';

const MARK = JSON.stringify(STORED_KEY);
/** Longer than it takes from the first byte of a file to the row that refers to it. */
const GRACE = '1 hour';

/**
 * Takes large outputs out of the states that go to the database, and brings them back for a run that goes on. A file is
 * announced as loose before it is written and adopted by a trigger with the row that refers to it, so that whatever
 * dies in between, nothing is lost and nothing stays behind.
 */
export class OutputFiles {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
  ) {}

  /**
   * The JSON text for `workflow_write_nodes`. Each try writes files of its own, so that a worker that was overtaken cannot
   * touch those of its successor; what the rows end up not referring to, is swept.
   */
  async toRowsText({ runId }: RunHandle, nodes: readonly NodeState[]): Promise<string> {
    const whole = toJsonText(nodes);
    if (Buffer.byteLength(whole) <= MAX_INLINE_OUTPUT_BYTES && !whole.includes(MARK)) return whole;
    const moved: NodeState[] = [];
    // One at a time: several may be large.
    for (const node of nodes) moved.push({ ...node, output: await this.moveOut(runId, node) });
    return toJsonText(moved);
  }

  /** What the nodes that still have to run may read is there again; the rest stays where it is. */
  async bringBack(states: readonly NodeState[], revision: Revision): Promise<NodeState[]> {
    if (!states.some(({ output }) => StoredOutput.from(output))) return [...states];
    const statuses = new Map(states.map(({ nodeId, status }) => [nodeId, status]));
    const toRun = revision.nodes.filter(({ id }) => !isTerminalNodeStatus(statuses.get(id) ?? 'PENDING'));
    const params = toRun.map((node) => JSON.stringify(node.params)).join('\n');
    const back: NodeState[] = [];
    for (const state of states) {
      const stored = StoredOutput.from(state.output);
      const isRead = params.includes(`_output.${JSON.stringify(state.nodeId).slice(1, -1)}`);
      if (!stored) back.push(state);
      else if (isTerminalNodeStatus(state.status) && !isRead) back.push({ ...state, output: stored });
      else back.push(await this.opened(state, stored));
    }
    return back;
  }

  /** A value as a row holds it. @throws FileMissingError */
  async resolve(output: unknown): Promise<unknown> {
    const stored = StoredOutput.from(output);
    return stored ? this.read(stored) : output;
  }

  /** Kept results that are too large for their row, of one workflow. */
  async listKept(workflowId: string): Promise<{ path: string; open: () => Promise<Readable> }[]> {
    const rows = await this.dataSource.query<{ version: number; node_id: string; storage_key: string }[]>(
      `SELECT r.version, o.node_id, s.storage_key FROM workflow_outputs o JOIN workflow_runs r ON r.id = o.run_id
       JOIN workflow_stored_outputs s ON s.run_id = o.run_id AND s.node_id = o.node_id
       WHERE o.workflow_id = $1 AND o.value IS NULL ORDER BY r.version, o.node_id`,
      [workflowId],
    );
    return rows.map(({ version, node_id, storage_key }) => ({
      path: `${version}/${encodeURIComponent(node_id)}.json`,
      open: async () => (await this.storage.open(storage_key)).stream,
    }));
  }

  /** Removes the files of workflows at once. In the transaction that removes their rows, and before it. */
  async remove(workflowIds: readonly string[], tx: EntityManager): Promise<void> {
    const rows = await tx.query<{ storage_key: string }[]>(
      `SELECT DISTINCT s.storage_key FROM workflow_stored_outputs s JOIN workflow_runs r ON r.id = s.run_id
       WHERE r.workflow_id = ANY($1::uuid[])`,
      [workflowIds],
    );
    for (const { storage_key } of rows) await this.storage.delete(storage_key);
  }

  private async moveOut(runId: string, { output }: NodeState): Promise<unknown> {
    if (output instanceof StoredOutput || output === null || output === undefined) return output;
    const json = toJsonText(output);
    // An output that looks like a stored one becomes one, so that it cannot be taken for somebody else's.
    if (Buffer.byteLength(json) <= MAX_INLINE_OUTPUT_BYTES && !StoredOutput.from(output)) return output;
    const key = `workflow-outputs/${runId.slice(0, 2)}/${runId}/${newId()}`;
    await this.dataSource.query(
      `INSERT INTO loose_files (storage_key, removable_at) VALUES ($1, now() + interval '${GRACE}')`,
      [key],
    );
    const { sizeBytes, sha256 } = await this.storage.put(key, Readable.from([Buffer.from(json)]));
    return new StoredOutput({ key, size: sizeBytes, sha256, preview: json.slice(0, PREVIEW_LENGTH) });
  }

  private async opened(state: NodeState, stored: StoredOutput): Promise<NodeState> {
    try {
      return { ...state, output: await this.read(stored) };
    } catch (error) {
      if (!(error instanceof FileMissingError)) throw error;
      // Going on with nothing in its place would be worse than to fail.
      const lost = { code: 'output_lost', message: 'The stored output of this node is gone.' };
      return { ...state, status: 'FAILED', handled: false, output: null, error: lost };
    }
  }

  private async read({ file }: StoredOutput): Promise<unknown> {
    const { stream } = await this.storage.open(file.key);
    return JSON.parse(await text(stream)) as unknown;
  }
}
