import { isUuid } from '@app/common';
import type { StoredFileRow } from '@app/contracts';
import { findDocumentUidInPath, findVisibleFile } from '@app/documents';
import { FileMissingError, type FileStorage } from '@app/integrations';
import { findTableFile, findTabularUidInPath } from '@app/tabular';
import { type ReadableFile, ToolError, type Viewer, type WrittenFile } from '@app/workflow-definition';
import { findOwnWrittenFile, findSharedWrittenFile, findWrittenFileUnder } from '@app/workflows';
import type { DataSource } from 'typeorm';
import { findFileOfRun } from './run-files.js';
import { writtenMediaPath } from './written-media-path.js';

/** A file that the viewer may read, with where its bytes lie. */
export interface FoundFile extends ReadableFile {
  storageKey: string;
}

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

  /** What was written under a key, by the viewer's own work. */
  async findWrittenUnder({ userId }: Viewer, key: string): Promise<WrittenFile | null> {
    const row = await findWrittenFileUnder(this.dataSource, userId, key);
    if (!row) return null;
    const { id, storageKey, name: path, mimeType, sizeBytes } = row;
    const name = path.split('/').at(-1)!;
    const open = () => this.read(storageKey);
    return { path, name, mimeType, sizeBytes: Number(sizeBytes), mediaPath: writtenMediaPath(id, name), open };
  }

  private async findRow(userId: number, file: string, runId: string | null): Promise<StoredFileRow | null> {
    const path = withoutQuery(file);
    const uid = isUuid(path) ? path : null;
    const documentUid = uid ?? findDocumentUidInPath(path);
    const document = documentUid && (await this.findDocument(userId, documentUid, runId));
    if (document) return document;
    const tableUid = uid ?? findTabularUidInPath(path);
    const table = tableUid && (await findTableFile(this.dataSource, userId, tableUid));
    if (table) return table;
    const writtenId = uid ?? /^\/?(?:media\/)?written\/([^/]+)\/[^/]+$/.exec(path)?.[1];
    return this.findWritten(userId, isUuid(writtenId) ? writtenId : null, file);
  }

  /** Files that came with the call which started the run belong to the run, whose nodes may be other people's. */
  private async findDocument(userId: number, uid: string, runId: string | null): Promise<StoredFileRow | null> {
    const visible = await findVisibleFile(this.dataSource, userId, uid);
    return visible ?? findFileOfRun(this.dataSource, uid, runId);
  }

  private async findWritten(userId: number, id: string | null, path: string): Promise<StoredFileRow | null> {
    const own = await findOwnWrittenFile(this.dataSource, userId, id, path);
    const found = own ?? (id === null ? null : await findSharedWrittenFile(this.dataSource, userId, id));
    return found && { ...found, name: found.name.split('/').at(-1)! };
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
