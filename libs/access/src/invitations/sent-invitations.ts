import { AuditLog } from '@app/audit';
import { NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { InvitationKind } from './share-invitations.js';

export interface SentInvitation {
  id: string;
  kind: InvitationKind;
  /** Of the document or the workflow, and what it is called. */
  targetId: string;
  name: string;
  email: string;
  role: 'editor' | 'viewer' | null;
  createdAt: Date;
  expiresAt: Date;
}

/** What an account shared with addresses that nobody has confirmed yet. */
@Injectable()
export class SentInvitations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** Oldest first; 1,000 at most can be open. */
  list(userId: number): Promise<SentInvitation[]> {
    return this.dataSource.query<SentInvitation[]>(
      `SELECT i.id, i.kind, coalesce(i.document_uid, i.workflow_id) AS "targetId", coalesce(d.filename, w.name) AS name,
         i.address AS email, i.role, i.created_at AS "createdAt", i.expires_at AS "expiresAt"
       FROM share_invitations i LEFT JOIN documents d ON d.uid = i.document_uid LEFT JOIN workflows w ON w.id = i.workflow_id
       WHERE i.inviter_id = $1 AND i.expires_at > now() ORDER BY i.created_at, i.id`,
      [userId],
    );
  }

  /** @throws NotFoundError unless it is the actor's own and still open. */
  async withdraw(actor: { userId: number; username: string }, id: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const [rows] = await tx.query<[{ kind: InvitationKind; target: string }[], number]>(
        `DELETE FROM share_invitations WHERE id = $1 AND inviter_id = $2
         RETURNING kind, coalesce(document_uid, workflow_id) AS target`,
        [id, actor.userId],
      );
      if (!rows[0]) throw new NotFoundError('There is no such invitation.', { code: 'invitation_not_found' });
      const target = `${rows[0].kind === 'document' ? 'document' : 'workflow'}:${rows[0].target}`;
      await this.audit.record({ action: 'share.invitation_withdrawn', actor, target }, tx);
    });
  }
}
