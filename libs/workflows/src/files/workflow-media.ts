import { workflowRole } from '@app/access';
import { isUuid } from '@app/common';
import type { MediaFile } from '@app/contracts';
import { findStoredOutputInPath, storedOutputPath } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Files of the File Writer: `/media/written/<id>/<name>`. */
const WRITTEN = '/media/written/';

/** SQL: whether the user `$1` sees the workflow `w`. */
const SEES = `w.deleted_at IS NULL AND u.is_active AND ${workflowRole('w', 'u.id')} IS NOT NULL`;

interface WrittenRow {
  id: string;
  path: string;
}

/** What runs of workflows left behind: written files, and outputs that are too large for a row. */
@Injectable()
export class WorkflowMedia {
  constructor(private readonly dataSource: DataSource) {}

  static covers(path: string): boolean {
    return path.startsWith(WRITTEN) || findStoredOutputInPath(path) !== null;
  }

  /**
   * Canonical paths by the path asked for: one's own written files by their relative path, and by their media path what
   * lies in a workflow that the viewer sees.
   */
  async findReadable(viewerId: number, paths: string[]): Promise<[string, string][]> {
    const own = await this.dataSource.query<WrittenRow[]>(
      'SELECT id, path FROM written_files WHERE owner_id = $1 AND path = ANY($2::text[])',
      [viewerId, paths],
    );
    const readable = own.map((row): [string, string] => [row.path, toMediaPath(row)]);
    for (const asked of paths) {
      const path = asked.startsWith('/') ? asked : `/${asked}`;
      if (!WorkflowMedia.covers(path) || !(await this.isStillShown(viewerId, path))) continue;
      const output = findStoredOutputInPath(path);
      if (output) readable.push([asked, storedOutputPath(output.runId, output.nodeId)]);
      else {
        const [row] = await this.dataSource.query<WrittenRow[]>('SELECT id, path FROM written_files WHERE id = $1', [
          writtenIdOf(path),
        ]);
        if (row && toMediaPath(row) === path) readable.push([asked, path]);
      }
    }
    return readable;
  }

  /** Null when it is gone. */
  async findSigned(path: string): Promise<MediaFile | null> {
    const output = findStoredOutputInPath(path);
    const [row] = output
      ? await this.dataSource.query<StoredRow[]>(
          `SELECT storage_key, size_bytes, sha256, 'application/json' AS mime_type, node_id || '.json' AS path
           FROM workflow_stored_outputs WHERE run_id = $1 AND node_id = $2`,
          [output.runId, output.nodeId],
        )
      : await this.dataSource.query<StoredRow[]>(
          'SELECT storage_key, size_bytes, sha256, mime_type, path FROM written_files WHERE id = $1',
          [writtenIdOf(path)],
        );
    if (!row) return null;
    return {
      storageKey: row.storage_key,
      filename: row.path.split('/').at(-1)!,
      mimeType: row.mime_type,
      sizeBytes: Number(row.size_bytes),
      sha256: row.sha256,
    };
  }

  async isStillShown(viewerId: number, path: string): Promise<boolean> {
    const output = findStoredOutputInPath(path);
    const rows = output
      ? await this.dataSource.query<unknown[]>(
          `SELECT FROM users u, workflow_stored_outputs s JOIN workflow_runs r ON r.id = s.run_id
           JOIN workflows w ON w.id = r.workflow_id
           WHERE u.id = $1 AND s.run_id = $2 AND s.node_id = $3 AND ${SEES}`,
          [viewerId, output.runId, output.nodeId],
        )
      : await this.dataSource.query<unknown[]>(
          `SELECT FROM users u, written_files f LEFT JOIN workflows w ON w.id = f.workflow_id
           WHERE u.id = $1 AND f.id = $2 AND u.is_active AND (f.owner_id = u.id OR ${SEES})`,
          [viewerId, writtenIdOf(path)],
        );
    return rows.length > 0;
  }

  /** Whether it is a written file of one's own: others who see it cannot make it public. */
  async isOwned(ownerId: number, path: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>('SELECT FROM written_files WHERE id = $1 AND owner_id = $2', [
      writtenIdOf(path),
      ownerId,
    ]);
    return rows.length > 0;
  }
}

interface StoredRow {
  storage_key: string;
  size_bytes: string;
  sha256: string;
  mime_type: string;
  path: string;
}

function toMediaPath({ id, path }: WrittenRow): string {
  return `${WRITTEN}${id}/${encodeURIComponent(path.split('/').at(-1)!)}`;
}

function writtenIdOf(path: string): string | null {
  const id = path.startsWith(WRITTEN) ? path.slice(WRITTEN.length).split('/')[0] : undefined;
  return isUuid(id) ? id : null;
}
