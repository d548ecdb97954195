import { Readable } from 'node:stream';
import { NotFoundError } from '@app/common';
import type { FileStorage } from '@app/integrations';
import { outputKind, StoredOutput } from '@app/workflow-definition';
import type { DataSource } from 'typeorm';
import type { RevisionCache } from '../revisions/revision-cache.js';
import type { WorkflowAccess } from '../access/workflow-access.js';

export interface ExportedNode {
  nodeId: string;
  name: string;
  kind: string;
  /** Bytes of its output as JSON text. */
  sizeBytes: number;
  /** Its output as JSON text, read when it is asked for. */
  openJson(): Promise<Readable>;
  /** Of a text; null for other outputs, and for large ones. */
  text: string | null;
  /** The file that it wrote, as long as that is there. */
  file: { name: string; open(): Promise<Readable> } | null;
}

export interface RunExport {
  workflowName: string;
  version: number;
  nodes: ExportedNode[];
}

interface OutputRow {
  node_id: string;
  output: unknown;
}

/** What the `export_output` nodes of a run made. */
export class RunExports {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly access: WorkflowAccess,
    private readonly revisions: RevisionCache,
  ) {}

  /**
   * @param version null for the newest run that has ended.
   * @throws NotFoundError, also (`nothing_to_export`) when no node that is marked for export has completed
   */
  async get(userId: number, workflowId: string, version: number | null): Promise<RunExport> {
    await this.access.require(userId, workflowId, 'see');
    const [run] = await this.dataSource.query<
      { id: string; name: string; version: number; content_revision: number }[]
    >(
      `SELECT r.id, w.name, r.version, r.content_revision FROM workflow_runs r JOIN workflows w ON w.id = r.workflow_id
       WHERE r.workflow_id = $1 AND r.parent_run_id IS NULL
         AND CASE WHEN $2::int IS NULL THEN r.finished_at IS NOT NULL ELSE r.version = $2 END
       ORDER BY r.version DESC LIMIT 1`,
      [workflowId, version],
    );
    if (!run) throw nothingToExport();
    const revision = await this.revisions.get(workflowId, run.content_revision);
    const marked = revision.nodes.filter(({ exportOutput }) => exportOutput);
    const rows = await this.dataSource.query<OutputRow[]>(
      `SELECT node_id, output FROM workflow_run_nodes
       WHERE run_id = $1 AND status = 'COMPLETED' AND node_id = ANY($2::text[])`,
      [run.id, marked.map(({ id }) => id)],
    );
    if (rows.length === 0) throw nothingToExport();
    const outputs = new Map(rows.map((row) => [row.node_id, row.output]));
    const nodes: ExportedNode[] = [];
    for (const { id, name, kind } of marked)
      if (outputs.has(id))
        nodes.push(await this.toNode(workflowId, { nodeId: id, name: name ?? id, kind }, outputs.get(id)));
    return { workflowName: run.name, version: run.version, nodes };
  }

  private async toNode(
    workflowId: string,
    node: Pick<ExportedNode, 'nodeId' | 'name' | 'kind'>,
    output: unknown,
  ): Promise<ExportedNode> {
    const stored = StoredOutput.from(output);
    if (stored) {
      const { key, size } = stored.file;
      const openJson = async () => (await this.storage.open(key)).stream;
      return { ...node, sizeBytes: size, text: null, file: null, openJson };
    }
    const json = JSON.stringify(output ?? null);
    const { type, value, mediaPath } = outputKind(output);
    return {
      ...node,
      sizeBytes: Buffer.byteLength(json),
      openJson: () => Promise.resolve(Readable.from([json])),
      text: type === 'text' && typeof value === 'string' ? value : null,
      file: type === 'file' && mediaPath ? await this.findWritten(workflowId, mediaPath) : null,
    };
  }

  /** Only what this workflow wrote: an output can name any path. */
  private async findWritten(workflowId: string, mediaPath: string): Promise<ExportedNode['file']> {
    const id = /^\/media\/written\/([0-9a-f-]{36})\//.exec(mediaPath)?.[1];
    if (id === undefined) return null;
    const [row] = await this.dataSource.query<{ path: string; storage_key: string }[]>(
      'SELECT path, storage_key FROM written_files WHERE id::text = $1 AND workflow_id = $2',
      [id, workflowId],
    );
    if (!row) return null;
    const open = async () => (await this.storage.open(row.storage_key)).stream;
    return { name: row.path.split('/').at(-1)!, open };
  }
}

const nothingToExport = () => new NotFoundError('There is nothing to export.', { code: 'nothing_to_export' });
