import { type AuditAction, AuditLog } from '@app/audit';
import { ConflictError } from '@app/common';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { retriedTransaction } from '@app/entities';
import { AccessRequestReader, type AccessRequestRecord, type AccessRequestStatus } from './access-request-reader.js';
import { notPending, requestNotFound } from './access-requests.js';
import type { Actor } from './lock-document.js';
import { ShareMirrors } from './share-mirrors.js';
import { getPerson, SharingNotices } from './sharing-notices.js';

interface Decision {
  from: AccessRequestStatus;
  to: AccessRequestStatus;
  action: AuditAction;
  refuse: (status: AccessRequestStatus) => ConflictError;
}

const DECISIONS = {
  approve: { from: 'pending', to: 'approved', action: 'access_request.approved', refuse: notPending },
  deny: { from: 'pending', to: 'denied', action: 'access_request.denied', refuse: notPending },
  revoke: {
    from: 'approved',
    to: 'revoked',
    action: 'access_request.revoked',
    refuse: (status) =>
      new ConflictError('The request is not approved.', { code: 'request_not_approved', extra: { status } }),
  },
} as const satisfies Record<string, Decision>;
export type DecisionName = keyof typeof DECISIONS;

/**
 * What an owner does with requests for access (docs/contract/documents.md#access-requests). The status, the share,
 * the audit entry and the mail
 * stand or fall together. A decision that was made already changes nothing and is no error.
 */
@Injectable()
export class AccessDecisions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly reader: AccessRequestReader,
    private readonly notices: SharingNotices,
    private readonly mirrors: ShareMirrors,
    private readonly audit: AuditLog,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @param reason for a denial, in the owner's words
   * @throws NotFoundError for a request that is not for the actor's document; ConflictError `request_not_pending`,
   *   `request_not_approved`
   */
  async decide(actor: Actor, id: number, name: DecisionName, reason = ''): Promise<AccessRequestRecord> {
    const decision = DECISIONS[name];
    const { request, receipts } = await retriedTransaction(this.dataSource, async (tx) => {
      await lockDocumentOf(tx, id, actor.userId);
      const [[changed]] = await tx.query<[{ uid: string; userId: number }[], number]>(
        `UPDATE access_requests SET status = $3, reason = $4, updated_at = now() WHERE id = $1 AND status = $2
         RETURNING document_uid AS uid, user_id AS "userId"`,
        [id, decision.from, decision.to, reason],
      );
      // Who asked may have cancelled it a moment ago.
      if (!changed) {
        const request = await this.getRequest(id, tx);
        if (request.status !== decision.to) throw decision.refuse(request.status);
        return { request, receipts: [] };
      }
      const { uid, userId } = changed;
      const receipts: OutboxReceipt[] = await this.applyTo(name, uid, userId, tx);
      const request = await this.getRequest(id, tx);
      const details = { request: id, user: request.user.username };
      const target = `document:${uid}`;
      await this.audit.record({ action: decision.action, actor, subjectId: userId, target, details }, tx);
      receipts.push(...(await this.tell(name, request, tx)));
      return { request, receipts };
    });
    this.outbox.publishSoon(receipts);
    return request;
  }

  /** @throws NotFoundError */
  private async getRequest(id: number, tx: EntityManager): Promise<AccessRequestRecord> {
    const request = await this.reader.findById(id, tx);
    if (!request) throw requestNotFound();
    return request;
  }

  /** What becomes of the share. */
  private async applyTo(name: DecisionName, uid: string, userId: number, tx: EntityManager): Promise<OutboxReceipt[]> {
    if (name === 'deny') return [];
    if (name === 'approve')
      await tx.query('INSERT INTO document_shares (document_uid, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        uid,
        userId,
      ]);
    else await tx.query('DELETE FROM document_shares WHERE document_uid = $1 AND user_id = $2', [uid, userId]);
    return this.mirrors.notify(uid, [userId], tx);
  }

  private async tell(
    name: DecisionName,
    { user, document, reason }: AccessRequestRecord,
    tx: EntityManager,
  ): Promise<OutboxReceipt[]> {
    if (name === 'revoke') return [];
    const person = await getPerson(tx, user.id);
    const { filename } = document;
    return name === 'approve'
      ? this.notices.write('access-approved', person, { filename }, tx)
      : this.notices.write('access-denied', person, { filename, reason }, tx);
  }
}

/** @throws NotFoundError when the request is not for a document of this owner, or that is in the trash */
async function lockDocumentOf(tx: EntityManager, requestId: number, ownerId: number): Promise<void> {
  const [row] = await tx.query<unknown[]>(
    `SELECT d.uid FROM access_requests r JOIN documents d ON d.uid = r.document_uid
     WHERE r.id = $1 AND d.owner_id = $2 AND d.deleted_at IS NULL FOR NO KEY UPDATE OF d`,
    [requestId, ownerId],
  );
  if (!row) throw requestNotFound();
}
