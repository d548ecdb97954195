import { ConflictError, InvalidRequestError, NotFoundError } from '@app/common';
import type { OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { DocumentRecord } from '../state/document-columns.js';
import { findDocumentUidInPath } from '../store/media-path.js';
import { retriedTransaction } from '@app/entities';
import { AccessRequestReader, type AccessRequestRecord, type AccessRequestStatus } from './access-request-reader.js';
import { type Actor, lockDocument } from './lock-document.js';
import { getPerson, SharingNotices, toDisplayName } from './sharing-notices.js';

/**
 * After a denial the same person waits so long before asking for the same document again
 * (docs/contract/documents.md#access-requests).
 */
const HOURS_AFTER_DENIAL = 24;

/** What people do who ask for access (docs/contract/documents.md#access-requests). */
@Injectable()
export class AccessRequests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly notices: SharingNotices,
    private readonly reader: AccessRequestReader,
  ) {}

  /**
   * Asks the owner of the file behind a media path for access.
   * @throws NotFoundError; InvalidRequestError `own_document`; ConflictError `request_pending`, `already_has_access`,
   *   `recently_denied`
   */
  async request(actor: Actor, path: string): Promise<AccessRequestRecord> {
    const { request, receipts } = await retriedTransaction(this.dataSource, async (tx) => {
      const document = await this.lockNamed(tx, path);
      if (document.ownerId === actor.userId)
        throw new InvalidRequestError('The document is your own.', { code: 'own_document' });
      const [made] = await tx.query<{ id: number }[]>(
        `INSERT INTO access_requests (document_uid, user_id) SELECT $1, $2
         WHERE NOT EXISTS (SELECT FROM document_shares WHERE document_uid = $1 AND user_id = $2)
           AND NOT EXISTS (SELECT FROM access_requests WHERE document_uid = $1 AND user_id = $2 AND status = 'denied'
             AND updated_at > now() - $3 * interval '1 hour')
         ON CONFLICT DO NOTHING RETURNING id`,
        [document.uid, actor.userId, HOURS_AFTER_DENIAL],
      );
      if (!made) throw await findObstacle(tx, document.uid, actor.userId);
      const [owner, requester] = [await getPerson(tx, document.ownerId), await getPerson(tx, actor.userId)];
      const params = { requester: toDisplayName(requester), filename: document.filename };
      const receipts: OutboxReceipt[] = await this.notices.write('access-requested', owner, params, tx);
      const request = await this.reader.findById(made.id, tx);
      if (!request) throw requestNotFound();
      return { request, receipts };
    });
    this.notices.publish(receipts);
    return request;
  }

  /**
   * Takes one's own pending request back: it is gone as if it had not been made
   * (docs/contract/documents.md#access-requests).
   * @throws NotFoundError; ConflictError `request_not_pending`
   */
  async cancel(userId: number, wanted: { id: number } | { path: string }): Promise<void> {
    const [id, uid] = 'id' in wanted ? [wanted.id, null] : [null, findDocumentUidInPath(wanted.path)];
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM access_requests WHERE user_id = $1 AND status = 'pending' AND (id = $2 OR document_uid = $3)`,
      [userId, id, uid],
    );
    if (count > 0) return;
    const [other] = await this.dataSource.query<{ status: AccessRequestStatus }[]>(
      `SELECT status FROM access_requests WHERE user_id = $1 AND (id = $2 OR document_uid = $3)
       ORDER BY created_at DESC LIMIT 1`,
      [userId, id, uid],
    );
    if (!other) throw requestNotFound();
    throw notPending(other.status);
  }

  /** By its media path, of which the file name counts too: the request would tell it. @throws NotFoundError */
  private async lockNamed(tx: EntityManager, path: string): Promise<DocumentRecord> {
    const uid = findDocumentUidInPath(path);
    const document = uid === null ? null : await lockDocument(tx, uid);
    const last = path.split('/').at(-1);
    if (!document || !(document.path.endsWith(`/${last}`) || document.filename === last))
      throw new NotFoundError('Document not found.', { code: 'document_not_found' });
    return document;
  }
}

/** Why a request could not be made. The document is locked, so that the reason still holds. */
async function findObstacle(tx: EntityManager, uid: string, userId: number): Promise<ConflictError> {
  const [{ hasAccess, isOpen }] = await tx.query<[{ hasAccess: boolean; isOpen: boolean }]>(
    `SELECT EXISTS (SELECT FROM document_shares WHERE document_uid = $1 AND user_id = $2) AS "hasAccess",
            EXISTS (SELECT FROM access_requests
                    WHERE document_uid = $1 AND user_id = $2 AND status IN ('pending', 'approved')) AS "isOpen"`,
    [uid, userId],
  );
  if (hasAccess) return new ConflictError('You can read this document already.', { code: 'already_has_access' });
  if (isOpen) return new ConflictError('You have asked for this document already.', { code: 'request_pending' });
  return new ConflictError(`Your request was denied; you can ask again ${HOURS_AFTER_DENIAL} hours after that.`, {
    code: 'recently_denied',
  });
}

export const requestNotFound = () =>
  new NotFoundError('Access request not found.', { code: 'access_request_not_found' });

export const notPending = (status: AccessRequestStatus) =>
  new ConflictError('The request is not pending any more.', { code: 'request_not_pending', extra: { status } });
