import { visibleDocument, workflowRole } from '@app/access';
import { isUuid } from '@app/common';
import { findDocumentUidInPath } from '@app/documents';
import { FileMissingError, type FileStorage } from '@app/integrations';
import { findTabularUidInPath } from '@app/tabular';
import { type ReadableFile, ToolError, type Viewer } from '@app/workflows';
import type { DataSource } from 'typeorm';
import { isFileOfRun } from './run-files.js';

/** A file that the viewer may read, with where its bytes lie. */
export interface FoundFile extends ReadableFile {
  storageKey: string;
}

interface Row {
  storageKey: string;
  name: string;
  mimeType: string;
  sizeBytes: string;
}

const COLUMNS = `storage_key AS "storageKey", mime_type AS "mimeType", size_bytes AS "sizeBytes"`;

/** Documents, table files and written files under the names that nodes have for them. */
export class ReadableFiles {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
  ) {}

  /**
   * @param file the uid of a document or a table file, a media path (signed or not), or the relative path of a written
   *   file
   * @throws ToolError `file_not_found`
   */
  async find({ userId, runId }: Viewer, file: string): Promise<FoundFile> {
    const row = await this.findRow(userId, file.trim(), runId ?? null);
    if (!row) throw fileNotFound();
    const { storageKey, name, mimeType } = row;
    return { storageKey, name, mimeType, sizeBytes: Number(row.sizeBytes), open: () => this.read(storageKey) };
  }

  private async findRow(userId: number, file: string, runId: string | null): Promise<Row | null> {
    const path = withoutQuery(file);
    const uid = isUuid(path) ? path : null;
    const documentUid = uid ?? findDocumentUidInPath(path);
    const document = documentUid && (await this.findDocument(userId, documentUid, runId));
    if (document) return document;
    const tableUid = uid ?? findTabularUidInPath(path);
    const table = tableUid && (await this.findTable(userId, tableUid));
    if (table) return table;
    const writtenId = uid ?? /^\/?(?:media\/)?written\/([^/]+)\/[^/]+$/.exec(path)?.[1];
    return this.findWritten(userId, isUuid(writtenId) ? writtenId : null, file);
  }

  /** Files that came with the call which started the run belong to the run, whose nodes may be other people's. */
  private async findDocument(userId: number, uid: string, runId: string | null): Promise<Row | null> {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT ${COLUMNS}, filename AS name FROM documents d WHERE d.uid = $2 AND (${visibleDocument('d', '$1')}
         OR d.deleted_at IS NULL AND ${isFileOfRun('d.uid', '$3::uuid')})`,
      [userId, uid, runId],
    );
    return row ?? null;
  }

  private async findTable(userId: number, uid: string): Promise<Row | null> {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT ${COLUMNS}, filename AS name FROM tabular_files WHERE uid = $2 AND owner_id = $1`,
      [userId, uid],
    );
    return row ?? null;
  }

  private async findWritten(userId: number, id: string | null, path: string): Promise<Row | null> {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT ${COLUMNS}, path AS name FROM written_files WHERE owner_id = $1 AND (id = $2 OR path = $3)
       ORDER BY id = $2 DESC NULLS LAST LIMIT 1`,
      // Postgres stores no NUL, and refuses a statement with one.
      [userId, id, path.replaceAll('\0', '')],
    );
    const found = row ?? (id && (await this.findShared(userId, id)));
    return found ? { ...found, name: found.name.split('/').at(-1)! } : null;
  }

  /** What a node of somebody else wrote in a workflow that the viewer sees, as under its media path. */
  private async findShared(userId: number, id: string): Promise<Row | null> {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT ${COLUMNS}, path AS name FROM written_files f JOIN workflows w ON w.id = f.workflow_id
       WHERE f.id = $2 AND w.deleted_at IS NULL AND ${workflowRole('w', '$1')} IS NOT NULL`,
      [userId, id],
    );
    return row ?? null;
  }

  private async *read(storageKey: string): AsyncIterable<Uint8Array> {
    try {
      const { stream } = await this.storage.open(storageKey);
      yield* stream as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw error instanceof FileMissingError ? fileNotFound() : error;
    }
  }
}

function fileNotFound(): ToolError {
  return new ToolError('file_not_found', 'There is no such file, or you may not read it.', false);
}

function withoutQuery(file: string): string {
  return file.startsWith('/media/') ? file.split('?')[0]! : file;
}
