import {
  visibleDocument,
  visibleDocumentUids,
  findDocumentRole,
  decideDocumentAccess,
  type DocumentAction,
} from '@app/access';
import { NotFoundError } from '@app/common';
import { documentColumns, UNFINISHED_STATES, type DocumentRecord } from '@app/documents';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export type DocumentStatusRow = Pick<DocumentRecord, 'uid' | 'processingState' | 'status' | 'lastError' | 'createdAt'>;

const STATUS_COLUMNS =
  'd.uid, d.processing_state AS "processingState", d.status, d.last_error AS "lastError", d.created_at AS "createdAt"';

/** What a viewer sees of the store. Every method is scoped to the viewer. */
@Injectable()
export class DocumentReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Owned and shared, newest first, without the trash. */
  listVisible(viewerId: number): Promise<DocumentRecord[]> {
    return this.dataSource.query<DocumentRecord[]>(
      `SELECT ${documentColumns('d')} FROM documents d WHERE d.uid IN ${visibleDocumentUids('$1')}
       ORDER BY d.created_at DESC, d.uid`,
      [viewerId],
    );
  }

  listTrashed(ownerId: number): Promise<DocumentRecord[]> {
    return this.dataSource.query<DocumentRecord[]>(
      `SELECT ${documentColumns('d')} FROM documents d WHERE d.owner_id = $1 AND d.deleted_at IS NOT NULL
       ORDER BY d.deleted_at DESC, d.uid`,
      [ownerId],
    );
  }

  /** @throws NotFoundError */
  async getVisible(viewerId: number, uid: string): Promise<DocumentRecord> {
    const [row] = await this.dataSource.query<DocumentRecord[]>(
      `SELECT ${documentColumns('d')} FROM documents d WHERE d.uid = $2 AND ${visibleDocument('d', '$1')}`,
      [viewerId, uid],
    );
    if (!row) throw documentNotFound();
    return row;
  }

  /** Of what is not finished. */
  listUnfinished(viewerId: number): Promise<DocumentStatusRow[]> {
    return this.dataSource.query<DocumentStatusRow[]>(
      `SELECT ${STATUS_COLUMNS} FROM documents d WHERE d.uid IN ${visibleDocumentUids('$1')}
       AND d.processing_state = ANY($2) ORDER BY d.created_at DESC, d.uid`,
      [viewerId, UNFINISHED_STATES],
    );
  }

  /** Of those that are visible; the others are missing from the answer. */
  findStatuses(viewerId: number, uids: string[]): Promise<DocumentStatusRow[]> {
    return this.dataSource.query<DocumentStatusRow[]>(
      `SELECT ${STATUS_COLUMNS} FROM documents d WHERE d.uid = ANY($2::uuid[]) AND ${visibleDocument('d', '$1')}
       ORDER BY d.created_at DESC, d.uid`,
      [viewerId, uids],
    );
  }

  /** @throws NotFoundError, ForbiddenError as `decideDocumentAccess` says */
  async requireAccess(viewerId: number, uid: string, action: DocumentAction): Promise<void> {
    decideDocumentAccess(await findDocumentRole(this.dataSource, viewerId, uid), action);
  }
}

export const documentNotFound = () => new NotFoundError('Document not found.', { code: 'document_not_found' });
