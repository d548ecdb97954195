import { decideDocumentAccess, findDocumentRole } from '@app/access';
import { derivedId, isUuid } from '@app/common';
import {
  DocumentLifecycle,
  type DocumentRecord,
  DocumentStore,
  FileScreening,
  findDocumentByUid,
  findDocumentUidInPath,
  listLibrary,
  normalizeFolder,
  sanitizeFilename,
  UNFINISHED_STATES,
} from '@app/documents';
import { StorageQuota } from '@app/entitlements';
import { FileStorage } from '@app/integrations';
import { findDocumentPages } from '@app/retrieval';
import {
  type DocumentFilter,
  type DocumentLibraryPort,
  type DocumentText,
  type ListedDocument,
  ToolError,
  type Viewer,
} from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { asToolError } from './as-tool-error.js';
import { findFileOfRun } from './run-files.js';
import { ReadableFiles } from './readable-files.js';

/** Namespace of the uids by which a repetition is known. */
const DOCUMENTS = '7e4a6a0b-9a53-4f0e-8a53-52c1f1f8f5f4';

export interface NewLibraryDocument {
  file: string;
  filename: string | null;
  folder: string;
  ocr: boolean;
  idempotencyKey: string;
}

/** The document store as tools see it, beyond search. */
@Injectable()
export class DocumentLibrary implements DocumentLibraryPort {
  constructor(
    private readonly dataSource: DataSource,
    private readonly store: DocumentStore,
    private readonly lifecycle: DocumentLifecycle,
    private readonly screening: FileScreening,
    private readonly quota: StorageQuota,
    private readonly storage: FileStorage,
    private readonly files: ReadableFiles,
  ) {}

  list({ userId }: Viewer, filter: DocumentFilter): Promise<ListedDocument[]> {
    const find = async () => {
      const { folder, name, tag, createdFrom, limit } = filter;
      const rows = await listLibrary(this.dataSource, userId, {
        folder: folder ? normalizeFolder(folder) : null,
        namePart: withoutNul(name),
        tag: withoutNul(tag),
        createdFrom: createdFrom ?? null,
        limit,
      });
      return rows.map(toListed);
    };
    return asToolError(find());
  }

  async text({ userId, runId }: Viewer, name: string): Promise<DocumentText> {
    const uid = uidOf(name);
    if (uid === null) throw notFound();
    const role = await findDocumentRole(this.dataSource, userId, uid);
    if (role === null && !(await findFileOfRun(this.dataSource, uid, runId))) throw notFound();
    const document = await findDocumentByUid(this.dataSource, uid);
    if (!document) throw notFound();
    if ((UNFINISHED_STATES as readonly string[]).includes(document.processingState))
      return { state: 'working', detail: document.status };
    const pages = await findDocumentPages(this.dataSource, uid);
    if (pages) return { state: 'ready', filename: document.filename, ocr: document.ocr, pages };
    // A document without a word in it is indexed, and has no passages.
    if (document.processingState === 'completed')
      return { state: 'ready', filename: document.filename, ocr: document.ocr, pages: [] };
    return { state: 'failed', detail: document.lastError || document.status };
  }

  recognise({ userId }: Viewer, name: string): Promise<void> {
    const start = async () => {
      const uid = uidOf(name);
      if (uid === null) throw notFound();
      const role = await findDocumentRole(this.dataSource, userId, uid);
      decideDocumentAccess(role, 'read');
      const document = await findDocumentByUid(this.dataSource, uid);
      if (!document || document.ocr) return;
      decideDocumentAccess(role, 'manage');
      await this.lifecycle.recognise(uid);
    };
    return asToolError(start());
  }

  add(viewer: Viewer, document: NewLibraryDocument, signal: AbortSignal): Promise<ListedDocument> {
    return asToolError(this.addOnce(viewer, document, signal));
  }

  private async addOnce(viewer: Viewer, wanted: NewLibraryDocument, signal: AbortSignal): Promise<ListedDocument> {
    const { userId: ownerId } = viewer;
    const uid = derivedId(DOCUMENTS, `${ownerId}:${wanted.idempotencyKey}`);
    const known = await findDocumentByUid(this.dataSource, uid);
    if (known) return toListed(known);
    const folder = normalizeFolder(wanted.folder);
    const found = await this.files.find(viewer, wanted.file);
    const filename = sanitizeFilename(wanted.filename || found.name);
    const local = await this.storage.localPath(found.storageKey);
    try {
      const { sizeBytes } = found;
      const { kind, mimeType } = await this.screening.screen({ path: local.path, filename, sizeBytes });
      signal.throwIfAborted();
      const upload = { uid, ownerId, folder, filename, sourcePath: local.path, kind, mimeType, ocr: wanted.ocr };
      const reservation = await this.quota.reserve(ownerId, sizeBytes);
      try {
        const { document } = await this.store.add({ ...upload, train: true, externalDriveItemId: null }, (_row, tx) =>
          reservation.settle(sizeBytes, tx),
        );
        return toListed(document);
      } finally {
        await reservation.release();
      }
    } finally {
      await local.release();
    }
  }
}

function toListed(row: DocumentRecord): ListedDocument {
  return {
    documentUid: row.uid,
    filename: row.filename,
    folder: row.folder,
    mediaPath: row.path,
    mimeType: row.mimeType,
    sizeBytes: Number(row.sizeBytes),
    state: row.processingState,
    tags: row.tags,
    createdAt: row.createdAt.toISOString(),
  };
}

function uidOf(name: string): string | null {
  return findDocumentUidInPath(name.split('?')[0]!) ?? (isUuid(name) ? name : null);
}

/** Postgres stores none, and refuses a statement with one. */
function withoutNul(text: string | undefined): string | null {
  return text ? text.replaceAll('\0', '') : null;
}

function notFound(): ToolError {
  return new ToolError('document_not_found', 'There is no such document, or you may not read it.', false);
}
