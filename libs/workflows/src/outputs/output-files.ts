import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { cutText, newId, toJsonText } from '@app/common';
import { announceLooseFile } from '@app/entitlements';
import { FileMissingError, type FileStorage, type LocalFile } from '@app/integrations';
import {
  JsonText,
  looksStored,
  MAX_INLINE_OUTPUT_BYTES,
  type NodeState,
  type OutputHint,
  PREVIEW_LENGTH,
  STORED_KEY,
  StoredOutput,
  ToolError,
  toStoredOutputView,
  writeJson,
} from '@app/workflow-definition';
import type { DataSource, EntityManager } from 'typeorm';

const MARK = JSON.stringify(STORED_KEY);
/** What whoever shows a result reads of a file at once. */
const MAX_READ_BYTES = 1024 * 1024;

/**
 * Keeps large outputs as files, outside memory and rows. A file is announced as loose before it is written and adopted by a trigger with the row that refers to it, so that whatever
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
  async toRowsText({ runId }: { runId: string }, nodes: readonly NodeState[]): Promise<string> {
    const whole = rowsText(nodes);
    if (Buffer.byteLength(whole) <= MAX_INLINE_OUTPUT_BYTES && !whole.includes(MARK)) return whole;
    const moved: NodeState[] = [];
    // One at a time: several may be large.
    for (const node of nodes) moved.push({ ...node, output: await this.moveOut(runId, node) });
    return rowsText(moved);
  }

  /** Takes an output out of memory before its row is written. @param source its JSON text, or a file with it */
  async keep(
    runId: string,
    source: JsonText | { path: string; preview: string },
    hint: OutputHint | null,
  ): Promise<StoredOutput> {
    const key = `workflow-outputs/${runId.slice(-2)}/${runId}/${newId()}`;
    await announceLooseFile(this.dataSource, key);
    const isText = source instanceof JsonText;
    const stored = await this.storage.put(key, isText ? Readable.from([Buffer.from(source.text)]) : source);
    const preview = isText ? cutText(source.text, PREVIEW_LENGTH) : source.preview;
    return new StoredOutput({ key, size: stored.sizeBytes, sha256: stored.sha256, preview }, hint);
  }

  /** For parsers in other processes. @throws ToolError `output_lost` */
  local({ file }: StoredOutput): Promise<LocalFile> {
    return this.storage.localPath(file.key).catch(asLost);
  }

  /** @throws ToolError `output_lost` */
  async text({ file }: StoredOutput): Promise<JsonText> {
    const { stream } = await this.storage.open(file.key).catch(asLost);
    return new JsonText(await text(stream));
  }

  /**
   * A value as a row holds it, for whoever shows it: what is large stays where it is and is shown as such.
   * @throws FileMissingError
   */
  async resolve(output: unknown, runId: string, nodeId: string): Promise<unknown> {
    const stored = StoredOutput.from(output);
    if (!stored) return output;
    if (stored.file.size > MAX_READ_BYTES) return toStoredOutputView(stored, runId, nodeId);
    const { stream } = await this.storage.open(stored.file.key);
    return JSON.parse(await text(stream)) as unknown;
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
    const json = output instanceof JsonText ? output : new JsonText(toJsonText(output));
    // An output that looks like a stored one becomes one, so that it cannot be taken for somebody else's.
    if (json.bytes <= MAX_INLINE_OUTPUT_BYTES && !looksStored(json)) return output;
    return this.keep(runId, json, null);
  }
}

function rowsText(nodes: readonly NodeState[]): string {
  if (!nodes.some(({ output }) => output instanceof JsonText)) return toJsonText(nodes);
  return `[${nodes.map(writeJson).join(',')}]`;
}

/** Going on with nothing in its place would be worse than to fail. */
function asLost(error: unknown): never {
  if (error instanceof FileMissingError)
    throw new ToolError('output_lost', 'The stored output of a node before this one is gone.', false, { cause: error });
  throw error;
}
