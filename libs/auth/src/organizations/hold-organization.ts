import { ConflictError, ForbiddenError, NotFoundError } from '@app/common';
import type { EntityManager } from 'typeorm';
import { holdSession } from '../principal/hold-session.js';
import type { Principal } from '../principal/principal.js';
import { mayManage, type OrganizationRole } from './organization-roles.js';

/** The organisation of somebody who changes something in it, and what they are there. */
export interface HeldOrganization {
  id: number;
  name: string;
  personal: boolean;
  role: OrganizationRole;
}

export const noOrganization = () => new NotFoundError('You belong to no organization.', { code: 'no_organization' });

export const insufficientRole = (words: string) => new ForbiddenError(words, { code: 'insufficient_role' });

/**
 * Locks the viewer's organisation, then their account and session, until the transaction ends: changes of one organisation
 * come one after the other, and each sees the roles that those before it left. Who left it while this waited is found in
 * their personal one.
 * @throws NotFoundError `no_organization`; UnauthenticatedError when the session has ended meanwhile
 */
export async function holdOrganization(tx: EntityManager, viewer: Principal): Promise<HeldOrganization> {
  const [account] = await tx.query<{ organization_id: number | null }[]>(
    'SELECT organization_id FROM users WHERE id = $1',
    [viewer.userId],
  );
  const id = account?.organization_id ?? null;
  if (id === null) throw noOrganization();
  const [organization] = await tx.query<{ name: string; personal: boolean }[]>(
    'SELECT name, personal FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
    [id],
  );
  await holdSession(tx, viewer);
  // A statement of its own: it sees what was written while this one waited for the lock.
  const [member] = await tx.query<{ role: OrganizationRole }[]>(
    'SELECT organization_role AS role FROM users WHERE id = $1 AND organization_id = $2',
    [viewer.userId, id],
  );
  if (!organization || !member) return personalOrganization(tx, viewer);
  return { id, ...organization, role: organization.personal ? 'owner' : member.role };
}

/**
 * Of an account that is locked. Nobody else belongs to it, so it is not locked itself: behind the account, that could wait
 * for a call that has locked it first and waits for the account.
 */
async function personalOrganization(tx: EntityManager, { userId }: Principal): Promise<HeldOrganization> {
  const [own] = await tx.query<{ id: number; name: string }[]>(
    `SELECT o.id, o.name FROM users u JOIN organizations o ON o.id = u.organization_id AND o.personal WHERE u.id = $1`,
    [userId],
  );
  if (!own) throw noOrganization();
  return { ...own, personal: true, role: 'owner' };
}

/** @throws ForbiddenError `insufficient_role` */
export function requireManager({ role }: Pick<HeldOrganization, 'role'>): void {
  if (!mayManage(role)) throw insufficientRole('Only owners and admins of the organization may do this.');
}

/** @throws ConflictError `personal_organization` */
export function requireShared({ personal }: HeldOrganization): void {
  if (personal)
    throw new ConflictError('This is your personal organization: nobody else can belong to it.', {
      code: 'personal_organization',
    });
}

/** @throws ConflictError `last_owner` unless somebody else of the organisation is an owner, too */
export async function requireOtherOwner(tx: EntityManager, organizationId: number, userId: number): Promise<void> {
  const [other] = await tx.query<unknown[]>(
    `SELECT FROM users WHERE organization_id = $1 AND organization_role = 'owner' AND is_active AND id <> $2 LIMIT 1`,
    [organizationId, userId],
  );
  if (!other)
    throw new ConflictError('The organization needs an owner: make somebody else one first.', { code: 'last_owner' });
}
