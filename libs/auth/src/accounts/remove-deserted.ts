import type { EntityManager } from 'typeorm';

/**
 * A personal organisation bears the name of its only member, and into one without a domain nobody comes but by who is there:
 * they go once the last one has left, with their secrets and models.
 */
export async function removeDeserted(tx: EntityManager, organizationId: number | null): Promise<void> {
  await tx.query(
    `DELETE FROM organizations o WHERE id = $1 AND (personal OR domain IS NULL)
       AND NOT EXISTS (SELECT FROM users WHERE organization_id = o.id OR detached_from_id = o.id)`,
    [organizationId],
  );
}
