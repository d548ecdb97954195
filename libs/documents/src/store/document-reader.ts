import {
  decideDocumentAccess,
  type DocumentAction,
  findDocumentRole,
  visibleDocument,
  visibleDocumentUids,
} from '@app/access';
import { NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { findQueuePositions } from '../indexing/queue-positions.js';
import { documentColumns, type DocumentRecord } from '../state/document-columns.js';
import { UNFINISHED_STATES } from '../state/document.states.js';

export type DocumentStatusRow = Pick<
  DocumentRecord,
  'uid' | 'processingState' | 'status' | 'lastError' | 'pageNumber' | 'stage' | 'percent' | 'createdAt'
>;

const LIST_BATCH = 1000;
const LARGEST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const SMALLEST_UUID = '00000000-0000-0000-0000-000000000000';

type ListedRow = DocumentRecord & { cursor: string };

const STATUS_COLUMNS =
  'd.uid, d.processing_state AS "processingState", d.status, d.last_error AS "lastError", ' +
  'd.page_number AS "pageNumber", d.stage, d.percent, d.created_at AS "createdAt"';

/** What a viewer sees of the store. Every method is scoped to the viewer. */
@Injectable()
export class DocumentReader {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Owned and shared, newest first, without the trash, in batches: the list has no pages, and somebody may have very
   * many documents.
   */
  async *visibleBatches(viewerId: number): AsyncGenerator<DocumentRecord[]> {
    // Nothing is before infinity; a timestamp as text keeps its microseconds.
    let last: Pick<ListedRow, 'uid' | 'cursor'> = { uid: LARGEST_UUID, cursor: 'infinity' };
    for (;;) {
      const rows: ListedRow[] = await this.dataSource.query<ListedRow[]>(
        `SELECT ${documentColumns('d')}, d.created_at::text AS cursor FROM documents d
         WHERE d.uid IN ${visibleDocumentUids('$1')} AND (d.created_at, d.uid) < ($2::timestamptz, $3::uuid)
         ORDER BY d.created_at DESC, d.uid DESC LIMIT ${LIST_BATCH}`,
        [viewerId, last.cursor, last.uid],
      );
      if (rows.length > 0) yield rows;
      const next = rows.at(-1);
      if (!next || rows.length < LIST_BATCH) return;
      last = next;
    }
  }

  /** The owner's trash, in batches likewise: what was put there last comes first. */
  async *trashedBatches(ownerId: number): AsyncGenerator<DocumentRecord[]> {
    let last: Pick<ListedRow, 'uid' | 'cursor'> = { uid: SMALLEST_UUID, cursor: 'infinity' };
    for (;;) {
      const rows: ListedRow[] = await this.dataSource.query<ListedRow[]>(
        `SELECT ${documentColumns('d')}, d.deleted_at::text AS cursor FROM documents d
         WHERE d.owner_id = $1 AND (d.deleted_at < $2::timestamptz OR (d.deleted_at = $2::timestamptz AND d.uid > $3::uuid))
         ORDER BY d.deleted_at DESC, d.uid LIMIT ${LIST_BATCH}`,
        [ownerId, last.cursor, last.uid],
      );
      if (rows.length > 0) yield rows;
      const next = rows.at(-1);
      if (!next || rows.length < LIST_BATCH) return;
      last = next;
    }
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

  /** Of those that are queued, by uid. */
  queuePositions(
    documents: readonly Pick<DocumentRecord, 'uid' | 'processingState'>[],
  ): Promise<ReadonlyMap<string, number>> {
    const queued = documents.filter(({ processingState }) => processingState === 'queued');
    return findQueuePositions(
      this.dataSource,
      queued.map(({ uid }) => uid),
    );
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
