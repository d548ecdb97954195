import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AddressTrust } from './address-trust.js';
import type { InvitationKind } from './share-invitations.js';

/** An invitation that can take effect, by whom, and to what. */
export interface DueInvitation {
  id: string;
  kind: InvitationKind;
  target: string;
  role: 'editor' | 'viewer' | null;
  address: string;
  inviter_id: number;
  inviter: string;
}

/** Invitations whose address somebody has confirmed. */
@Injectable()
export class DueInvitations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly trust: AddressTrust,
  ) {}

  /** In the order in which they were made, of everybody when `userId` is null. What lies in the trash waits there. */
  list(userId: number | null, limit: number): Promise<DueInvitation[]> {
    return this.dataSource.query<DueInvitation[]>(
      `SELECT i.id, i.kind, coalesce(i.document_uid, i.workflow_id) AS target, i.role, i.address, i.inviter_id,
         s.username AS inviter
       FROM share_invitations i JOIN users s ON s.id = i.inviter_id AND s.is_active
       JOIN users u ON lower(u.email) = i.address AND u.is_active AND ${this.trust.condition('u')}
       LEFT JOIN documents d ON d.uid = i.document_uid LEFT JOIN workflows w ON w.id = i.workflow_id
       WHERE i.expires_at > now() AND ($1::int IS NULL OR u.id = $1)
         AND d.deleted_at IS NULL AND w.deleted_at IS NULL
       ORDER BY i.created_at, i.id LIMIT $2`,
      [userId, limit],
    );
  }

  /** One that is void. */
  async remove(id: string): Promise<void> {
    await this.dataSource.query('DELETE FROM share_invitations WHERE id = $1', [id]);
  }

  /** Those that nobody took up in time. */
  async removeExpired(): Promise<void> {
    await this.dataSource.query('DELETE FROM share_invitations WHERE expires_at <= now()');
  }
}
