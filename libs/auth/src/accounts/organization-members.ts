import type { EntityManager } from 'typeorm';

type Database = Pick<EntityManager, 'query'>;

/** Where only the account is known. Null for an account without one, and for one that is gone. */
export async function findOrganizationOf(db: Database, userId: number): Promise<number | null> {
  const [account] = await db.query<{ organization_id: number | null }[]>(
    'SELECT organization_id FROM users WHERE id = $1',
    [userId],
  );
  return account?.organization_id ?? null;
}

/** SQL: the ids of all members, deactivated ones too, whose data still is there. @param organization SQL of its id */
export function membersOf(organization: string): string {
  return `SELECT id FROM users WHERE organization_id = ${organization}`;
}

/** The same of several as an answer. */
export async function listMembers(db: Database, ...organizationIds: readonly number[]): Promise<number[]> {
  const members = await db.query<{ id: number }[]>(membersOf('ANY($1::int[])'), [organizationIds]);
  return members.map(({ id }) => id);
}

/** Whoever else locks the organisation waits until the transaction ends. @returns whether there is one */
export async function lockOrganization(tx: EntityManager, organizationId: number): Promise<boolean> {
  const found = await tx.query<unknown[]>('SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE', [
    organizationId,
  ]);
  return found.length > 0;
}
