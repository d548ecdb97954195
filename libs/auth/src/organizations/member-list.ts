import { type Page, type PageRequest } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../principal/principal.js';
import { noOrganization, requireManager } from './hold-organization.js';
import { organizationRole, type OrganizationRole } from './organization-roles.js';

/** In wire names. */
export interface OrganizationMember {
  id: number;
  username: string;
  display_name: string;
  email: string;
  role: OrganizationRole;
  is_active: boolean;
  email_verified: boolean;
  date_joined: Date;
}

export interface Membership {
  organizationId: number;
  role: OrganizationRole;
  /** Whether the address says for sure that the person belongs there. */
  confirmed: boolean;
}

export interface MemberFilter {
  /** Part of a name or an address. */
  search?: string | undefined;
  role?: OrganizationRole | undefined;
}

const DISPLAY_NAME = `coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username)`;

const COLUMNS = `u.id, u.username, ${DISPLAY_NAME} AS display_name, u.email, ${organizationRole('u', 'o')} AS role,
  u.is_active, u.email_verified, u.date_joined`;

/** The people of an organisation with their roles. */
@Injectable()
export class MemberList {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Of the viewer's organisation, by display name. As in the directory, who has not confirmed the address sees only
   * themselves and is seen by nobody else, nor is who was deactivated; owners and admins see these, too, who may take
   * them out.
   */
  async list(viewer: Principal, { search, role }: MemberFilter, at: PageRequest): Promise<Page<OrganizationMember>> {
    const rows = await this.dataSource.query<(OrganizationMember & { count: number })[]>(
      `WITH viewer AS (
         SELECT v.organization_id, v.email_verified, ${organizationRole('v', 'o')} AS role
         FROM users v JOIN organizations o ON o.id = v.organization_id WHERE v.id = $1)
       SELECT ${COLUMNS}, count(*) OVER ()::int AS count
       FROM viewer JOIN users u ON u.organization_id = viewer.organization_id JOIN organizations o ON o.id = u.organization_id
       WHERE (u.id = $1 OR viewer.role IN ('owner', 'admin') OR (viewer.email_verified AND u.email_verified AND u.is_active))
         AND ($2::text IS NULL OR strpos(lower(u.username), lower($2)) > 0 OR strpos(lower(u.email), lower($2)) > 0
              OR strpos(lower(${DISPLAY_NAME}), lower($2)) > 0)
         AND ($3::text IS NULL OR ${organizationRole('u', 'o')} = $3)
       ORDER BY lower(${DISPLAY_NAME}), u.id LIMIT $4 OFFSET $5`,
      [viewer.userId, search ?? null, role ?? null, at.pageSize, (at.page - 1) * at.pageSize],
    );
    const items = rows.map(toMember);
    if (rows.length > 0 || at.page === 1) return { count: rows[0]?.count ?? 0, items };
    return { count: (await this.list(viewer, { search, role }, { page: 1, pageSize: 1 })).count, items };
  }

  /** Somebody of the organisation, for those who may manage it or are it themselves. Null for all others. */
  async find(organizationId: number, userId: number): Promise<OrganizationMember | null> {
    const [row] = await this.dataSource.query<OrganizationMember[]>(
      `SELECT ${COLUMNS} FROM users u JOIN organizations o ON o.id = u.organization_id WHERE u.id = $2 AND o.id = $1`,
      [organizationId, userId],
    );
    return row ?? null;
  }

  /** The organisation of somebody and what they are there, read now. @throws NotFoundError `no_organization` */
  async membershipOf({ userId }: Principal): Promise<Membership> {
    const [row] = await this.dataSource.query<Membership[]>(
      `SELECT o.id AS "organizationId", ${organizationRole('u', 'o')} AS role, u.email_verified OR o.personal AS confirmed
       FROM users u JOIN organizations o ON o.id = u.organization_id WHERE u.id = $1`,
      [userId],
    );
    if (!row) throw noOrganization();
    return row;
  }

  /** The same of an owner or admin. @throws ForbiddenError `insufficient_role` */
  async requireManager(viewer: Principal): Promise<Membership> {
    const membership = await this.membershipOf(viewer);
    requireManager(membership);
    return membership;
  }
}

function toMember(row: OrganizationMember): OrganizationMember {
  const { id, username, display_name, email, role, is_active, email_verified, date_joined } = row;
  return { id, username, display_name, email, role, is_active, email_verified, date_joined };
}
