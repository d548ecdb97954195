import type { EntityManager } from 'typeorm';

type Queryable = Pick<EntityManager, 'query'>;

/** Somebody who may buy a plan, with what decides whose it is. */
export interface PlanBuyer {
  userId: number;
  username: string;
  email: string;
  language: 'en' | 'ar';
  /** Of the shared organisation; null for who belongs to none, or to a personal one. */
  organizationId: number | null;
  /** Whether they decide what the organisation pays for. */
  isOrganizationOwner: boolean;
}

/** Null when the account is gone. */
export async function findPlanBuyer(db: Queryable, userId: number): Promise<PlanBuyer | null> {
  const [row] = await db.query<
    {
      username: string;
      email: string;
      language: 'en' | 'ar';
      organization_id: number | null;
      organization_role: string;
    }[]
  >(
    `SELECT u.username, u.email, u.language, u.organization_role,
       (SELECT o.id FROM organizations o WHERE o.id = u.organization_id AND NOT o.personal) AS organization_id
     FROM users u WHERE u.id = $1`,
    [userId],
  );
  if (!row) return null;
  const { organization_id: organizationId, organization_role: role, ...rest } = row;
  return { userId, ...rest, organizationId, isOrganizationOwner: organizationId !== null && role === 'owner' };
}

/** Who takes a seat of the organisation. */
export async function countMembers(db: Queryable, organizationId: number): Promise<number> {
  const [{ count }] = await db.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM users WHERE organization_id = $1 AND is_active',
    [organizationId],
  );
  return count;
}
