import { holdReadableDocuments } from '@app/access';
import { ConflictError, cutText, ForbiddenError, newTimeOrderedId, NotFoundError, ValidationError } from '@app/common';
import type { Page, PageRequest } from '@app/common';
import { LiveBus } from '@app/live';
import { Outbox } from '@app/queues';
import { WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ColumnIndex } from '../tables/column-rules.js';
import { getTable, lockTable } from '../tables/table-access.js';
import {
  findExtraction,
  findRequested,
  listExtractions,
  listItems,
  type ExtractionItemRecord,
  type ExtractionRecord,
} from './extraction-records.js';
import type { ExtractionMode } from './extraction-states.js';
import { extractionWork } from './extraction-work.js';
import { cancelItems, insertItems, reopenItems, tooManyWaiting, type WaitingItem } from './item-statements.js';
import { tellOfChange } from './tell-of-change.js';

export const MAX_DOCUMENTS = 500;

export interface NewExtraction {
  documentUids: readonly string[];
  /** Names; null: all. */
  columns: readonly string[] | null;
  mode: ExtractionMode;
  overwriteEdited: boolean;
  ocr: boolean | null;
  /** Asked for again under the same key: the same extraction. */
  requestKey?: string;
}

export type WholeExtraction = ExtractionRecord & { items: ExtractionItemRecord[] };

/** Asks for documents to be extracted into tables, and tells how far that is. */
@Injectable()
export class Extractions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly outbox: Outbox,
    private readonly live: LiveBus,
  ) {}

  /**
   * Needs the right to write to the table and to read every document; else nothing is stored.
   * @throws NotFoundError, ForbiddenError, ValidationError, ConflictError `too_many_waiting`
   */
  async request(userId: number, tableId: string, wanted: NewExtraction): Promise<ExtractionRecord> {
    const uids = [...new Set(wanted.documentUids.map((uid) => uid.toLowerCase()))];
    if (uids.length === 0) throw new ValidationError({ document_uids: ['This list may not be empty.'] });
    if (uids.length > MAX_DOCUMENTS)
      throw new ValidationError({ document_uids: [`Ensure this field has no more than ${MAX_DOCUMENTS} elements.`] });
    const begun = await this.dataSource.transaction((tx) => this.begin(tx, userId, tableId, uids, wanted));
    this.outbox.publishSoon(begun.receipts);
    return begun.extraction;
  }

  /** @throws NotFoundError, ForbiddenError */
  async list(userId: number, tableId: string, { page, pageSize }: PageRequest): Promise<Page<WholeExtraction>> {
    await getTable(this.dataSource, userId, tableId, 'read');
    const place = { limit: pageSize, offset: (page - 1) * pageSize };
    const { count, items } = await listExtractions(this.dataSource, tableId, place);
    const documents = await listItems(
      this.dataSource,
      items.map(({ id }) => id),
    );
    return { count, items: items.map((one) => ({ ...one, items: documents.get(one.id) ?? [] })) };
  }

  /** @throws NotFoundError, ForbiddenError */
  async get(userId: number, tableId: string, id: string): Promise<WholeExtraction> {
    const extraction = await this.require(this.dataSource, userId, tableId, id, 'read');
    const items = await listItems(this.dataSource, [id]);
    return { ...extraction, items: items.get(id) ?? [] };
  }

  /** @throws NotFoundError, ForbiddenError */
  async require(
    db: DataSource | EntityManager,
    userId: number,
    tableId: string,
    id: string,
    need: 'read' | 'write',
  ): Promise<ExtractionRecord> {
    await getTable(db, userId, tableId, need);
    const extraction = await findExtraction(db, id, tableId);
    if (!extraction) throw new NotFoundError('Extraction not found.', { code: 'extraction_not_found' });
    return extraction;
  }

  /**
   * What waits is not begun, and what is at work loses its right to write at once; rows that are there stay. Of one that
   * has ended nothing changes.
   * @throws NotFoundError, ForbiddenError
   */
  async cancel(userId: number, tableId: string, id: string): Promise<WholeExtraction> {
    const seq = await this.dataSource.transaction(async (tx) => {
      await this.require(tx, userId, tableId, id, 'write');
      return cancelItems(tx, id);
    });
    if (seq !== null) tellOfChange(this.live, id, seq);
    return this.get(userId, tableId, id);
  }

  /**
   * Failed and cancelled documents again.
   * @throws NotFoundError; ForbiddenError, for somebody else's, on whose account it would be, too; ConflictError
   * `nothing_to_retry`
   */
  async retry(userId: number, tableId: string, id: string): Promise<WholeExtraction> {
    const receipts = await this.dataSource.transaction(async (tx) => {
      await lockTable(tx, userId, tableId, 'write');
      const { requestedBy } = await this.require(tx, userId, tableId, id, 'write');
      if (requestedBy !== userId)
        throw new ForbiddenError('Only who asked for the extraction can have it tried again.', {
          code: 'not_requester',
        });
      const items = await reopenItems(tx, id);
      if (items.length === 0)
        throw new ConflictError('Nothing of this extraction has failed.', { code: 'nothing_to_retry' });
      return this.notify(tx, items);
    });
    this.outbox.publishSoon(receipts);
    return this.get(userId, tableId, id);
  }

  /** An item whose document has just been read, or given up, need not wait longer. */
  async documentIsRead(documentUid: string): Promise<void> {
    const receipts = await this.dataSource.transaction(async (tx) => {
      const [items] = await tx.query<[WaitingItem[], number]>(
        `UPDATE extraction_items SET next_attempt_at = now()
         WHERE document_uid = $1 AND state = 'queued' AND next_attempt_at > now() RETURNING id, fence`,
        [documentUid],
      );
      return this.notify(tx, items);
    });
    this.outbox.publishSoon(receipts);
  }

  private async begin(
    tx: EntityManager,
    userId: number,
    tableId: string,
    uids: readonly string[],
    {
      columns: named,
      mode,
      overwriteEdited,
      ocr,
      requestKey = null,
    }: Omit<NewExtraction, 'requestKey'> & {
      requestKey?: string | null;
    },
  ) {
    const { columns: all } = await lockTable(tx, userId, tableId, 'write');
    const known = requestKey === null ? null : await findRequested(tx, userId, requestKey);
    if (known) return { extraction: known, receipts: [] };
    const columns = named === null ? null : columnNames(named, new ColumnIndex(all));
    const documents = await holdReadableDocuments(tx, userId, uids);
    if (documents.length < uids.length)
      throw new ForbiddenError('One of the documents is not there, or you may not read it.', {
        code: 'document_not_readable',
      });
    if (await tooManyWaiting(tx, userId, uids.length))
      throw new ConflictError('Too many documents of yours wait to be extracted already.', {
        code: 'too_many_waiting',
      });
    const id = newTimeOrderedId();
    await tx.query(
      `INSERT INTO extractions (id, table_id, requested_by, columns, mode, overwrite_edited, ocr, total, request_key)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [id, tableId, userId, columns && JSON.stringify(columns), mode, overwriteEdited, ocr, uids.length, requestKey],
    );
    const names = new Map(documents.map(({ uid, filename }) => [uid, filename]));
    const items = uids.map((uid) => ({ id: newTimeOrderedId(), uid, filename: names.get(uid)! }));
    const waiting = await insertItems(tx, { extractionId: id, tableId, userId }, items);
    return { extraction: (await findExtraction(tx, id, tableId))!, receipts: await this.notify(tx, waiting) };
  }

  private notify(tx: EntityManager, items: readonly WaitingItem[]) {
    const rows = items.map(({ id, fence }) => ({ key: [id], fence }));
    return this.claims.notifyAll(extractionWork, rows, tx);
  }
}

/** As the table spells them, each once. @throws ValidationError */
function columnNames(named: readonly string[], columns: ColumnIndex): string[] {
  if (named.length === 0) throw new ValidationError({ columns: ['This list may not be empty.'] });
  const names = named.map((name) => {
    const column = columns.find(name);
    if (column === null) throw new ValidationError({ columns: [`The table has no column "${cutText(name, 100)}".`] });
    return column.name;
  });
  return [...new Set(names)];
}
