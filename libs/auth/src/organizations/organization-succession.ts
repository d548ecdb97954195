import { AuditLog } from '@app/audit';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

type Heir = { id: number; role: 'owner' | 'admin' };

/** What becomes of an organisation whose owner deletes their account. */
@Injectable()
export class OrganizationSuccession {
  constructor(private readonly audit: AuditLog) {}

  /**
   * In the transaction that closes the account, before the account is locked: of the last owner, the admin who has been here
   * longest becomes the owner. Without any the organisation waits for an operator. What the account paid for ends with it.
   * @returns whose rights changed, to be announced after commit
   */
  async leaveBehind(userId: number, tx: EntityManager): Promise<number | null> {
    const [place] = await tx.query<{ id: number }[]>(
      `SELECT o.id FROM users u JOIN organizations o ON o.id = u.organization_id WHERE u.id = $1 AND NOT o.personal`,
      [userId],
    );
    if (!place) return null;
    await tx.query('SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE', [place.id]);
    const [owner] = await tx.query<unknown[]>(
      `SELECT FROM users WHERE id = $1 AND organization_id = $2 AND organization_role = 'owner'`,
      [userId, place.id],
    );
    if (!owner) return null;
    const [heir] = await tx.query<Heir[]>(
      `SELECT id, organization_role AS role FROM users
       WHERE organization_id = $1 AND id <> $2 AND is_active AND organization_role IN ('owner', 'admin')
       ORDER BY organization_role = 'owner' DESC, date_joined, id LIMIT 1`,
      [place.id, userId],
    );
    // What the account still is while it is being erased gives nobody a say.
    await tx.query(`UPDATE users SET organization_role = 'member' WHERE id = $1`, [userId]);
    const organizationId = place.id;
    if (!heir) {
      const target = `organization:${organizationId}`;
      await this.audit.record({ action: 'organization.without_owner', actor: null, target, organizationId }, tx);
      return null;
    }
    if (heir.role === 'owner') return null;
    await tx.query(`UPDATE users SET organization_role = 'owner' WHERE id = $1`, [heir.id]);
    await this.audit.record(
      {
        action: 'organization.owner_succeeded',
        actor: null,
        subjectId: heir.id,
        target: `user:${heir.id}`,
        organizationId,
      },
      tx,
    );
    return heir.id;
  }
}
