import { AuditLog } from '@app/audit';
import { retriedTransaction } from '@app/entities';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../principal/principal.js';
import { holdOrganization, insufficientRole, noOrganization } from './hold-organization.js';
import { organizationRole, type OrganizationRole } from './organization-roles.js';

export interface CurrentOrganization {
  id: number;
  name: string;
  domain: string | null;
  personal: boolean;
  /** What the viewer is in it. */
  role: OrganizationRole;
  /** Active people, who each take a seat. */
  members: number;
  /** The smaller one of what operators and the plan allow; null for any number. */
  seatLimit: number | null;
  createdAt: Date;
}

/** The organisation that somebody belongs to, as they see it (docs/contract/organisations.md). */
@Injectable()
export class Organizations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** @throws NotFoundError `no_organization` */
  async getCurrent({ userId }: Principal): Promise<CurrentOrganization> {
    const [row] = await this.dataSource.query<CurrentOrganization[]>(
      `SELECT o.id, o.name, o.domain, o.personal, o.created_at AS "createdAt", ${organizationRole('u', 'o')} AS role,
              (SELECT count(*) FROM users m WHERE m.organization_id = o.id AND m.is_active)::int AS members,
              least(o.seat_limit, o.plan_seats) AS "seatLimit"
       FROM users u JOIN organizations o ON o.id = u.organization_id WHERE u.id = $1`,
      [userId],
    );
    if (!row) throw noOrganization();
    return row;
  }

  /** @throws NotFoundError `no_organization`; ForbiddenError `insufficient_role` for all but owners */
  async rename(viewer: Principal, name: string): Promise<void> {
    await retriedTransaction(this.dataSource, async (tx) => {
      const held = await holdOrganization(tx, viewer);
      if (held.role !== 'owner') throw insufficientRole('Only owners of the organization may change its name.');
      if (held.name === name) return;
      await tx.query('UPDATE organizations SET name = $2 WHERE id = $1', [held.id, name]);
      await this.audit.record(
        {
          action: 'organization.updated',
          actor: viewer,
          target: `organization:${held.id}`,
          details: { name },
          organizationId: held.id,
        },
        tx,
      );
    });
  }
}
