import type { EntityManager } from 'typeorm';

/** Their addresses, and the portals that are open for them. */
export async function forgetTestCustomers(
  db: Pick<EntityManager, 'query'>,
  customers: readonly string[],
): Promise<void> {
  await db.query(`UPDATE billing_test_customers SET email = '' WHERE id = ANY($1) AND email <> ''`, [customers]);
  await db.query('DELETE FROM billing_test_portals WHERE customer_id = ANY($1)', [customers]);
}
