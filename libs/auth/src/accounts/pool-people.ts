import type { EntityManager } from 'typeorm';

type Database = Pick<EntityManager, 'query'>;

/** Where an account belongs, as far as quotas go. */
export interface Membership {
  /** Of a shared organisation; null: none, or a personal one. */
  organizationId: number | null;
  isOwner: boolean;
}

/** Whom the owner of a pool is written to. */
export interface PoolOwner {
  userId: number;
  name: string;
  email: string;
  language: 'en' | 'ar';
  /** '' for a personal pool. */
  organization: string;
}

export interface NamedMember {
  id: number;
  username: string;
  displayName: string;
}

const SHARED = 'LEFT JOIN organizations o ON o.id = u.organization_id AND NOT o.personal';

/** Null for an account that is gone. */
export async function findMembership(db: Database, userId: number): Promise<Membership | null> {
  const [found] = await db.query<{ organizationId: number | null; isOwner: boolean }[]>(
    `SELECT o.id AS "organizationId", u.organization_role = 'owner' AS "isOwner" FROM users u ${SHARED} WHERE u.id = $1`,
    [userId],
  );
  return found ?? null;
}

export function listMemberNames(db: Database, organizationId: number): Promise<NamedMember[]> {
  return db.query<NamedMember[]>(
    `SELECT id, username, coalesce(nullif(trim(first_name || ' ' || last_name), ''), username) AS "displayName"
     FROM users WHERE organization_id = $1 ORDER BY id`,
    [organizationId],
  );
}

/**
 * Those who are told of a pool: the owners of the organisation, or whoever bought its plan where it has none; else the
 * person alone. Nobody who cannot sign in.
 */
export function listPoolOwners(
  db: Database,
  { organizationId, userId }: { organizationId: number | null; userId: number | null },
): Promise<PoolOwner[]> {
  return db.query<PoolOwner[]>(
    `SELECT u.id AS "userId", u.first_name AS name, u.email, u.language,
       CASE WHEN $1::int IS NULL THEN '' ELSE coalesce(o.name, '') END AS organization
     FROM users u ${SHARED}
     WHERE u.is_active AND CASE
       WHEN $1::int IS NULL THEN u.id = $2
       WHEN EXISTS (SELECT FROM users w WHERE w.organization_id = $1 AND w.organization_role = 'owner' AND w.is_active)
         THEN u.organization_id = $1 AND u.organization_role = 'owner'
       ELSE u.id = $2 END
     ORDER BY u.id`,
    [organizationId, userId],
  );
}
