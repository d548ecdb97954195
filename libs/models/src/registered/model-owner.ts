import { ForbiddenError } from '@app/common';
import type { EntityManager } from 'typeorm';

/** Whose registered models: staff's, which everybody may use, those of an organisation, or one person's. */
export type ModelOwner =
  | { readonly kind: 'platform' }
  | { readonly kind: 'organization'; readonly organizationId: number }
  | { readonly kind: 'user'; readonly userId: number };

export const PLATFORM: ModelOwner = { kind: 'platform' };

/** What a row says of its owner. */
export interface OwnerColumns {
  userId: number | null;
  organizationId: number | null;
}

export function columnsOf(owner: ModelOwner): OwnerColumns {
  return {
    userId: owner.kind === 'user' ? owner.userId : null,
    organizationId: owner.kind === 'organization' ? owner.organizationId : null,
  };
}

export function ownerOf({ userId, organizationId }: OwnerColumns): ModelOwner {
  if (userId !== null) return { kind: 'user', userId };
  return organizationId === null ? PLATFORM : { kind: 'organization', organizationId };
}

/** SQL: the rows `m` of the owner whose columns are `$1` and `$2`. */
export const OF_OWNER = 'm.user_id IS NOT DISTINCT FROM $1::int AND m.organization_id IS NOT DISTINCT FROM $2::int';

/** What somebody is in their organisation; in one that is theirs alone, the owner. */
const ADMINISTERS = `SELECT o.id AS "organizationId",
    o.personal OR u.organization_role IN ('owner', 'admin') AS "mayManage"
  FROM users u JOIN organizations o ON o.id = u.organization_id WHERE u.id = $1 AND u.is_active`;

/**
 * The organisation of somebody who manages it.
 * @param tx a change: that the person manages it holds until its end
 * @throws ForbiddenError `not_organization_admin`
 */
export async function managedOrganization(
  db: Pick<EntityManager, 'query'>,
  userId: number,
  isChange: boolean,
): Promise<Extract<ModelOwner, { kind: 'organization' }>> {
  const [row] = await db.query<{ organizationId: number; mayManage: boolean }[]>(
    isChange ? `${ADMINISTERS} FOR SHARE OF u` : ADMINISTERS,
    [userId],
  );
  if (!row?.mayManage)
    throw new ForbiddenError('Only owners and administrators of an organisation manage its models.', {
      code: 'not_organization_admin',
    });
  return { kind: 'organization', organizationId: row.organizationId };
}
