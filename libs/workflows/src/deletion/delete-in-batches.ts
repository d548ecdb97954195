import type { EntityManager } from 'typeorm';

/** The rows that go stay in the way until the commit: small portions of a large table would pass over them many times. */
const BATCH = 5_000;

/** Deletes the rows that meet the condition, so many a statement that none outlasts its time limit. @returns how many. */
export async function deleteInBatches(
  tx: EntityManager,
  table: string,
  condition: string,
  values: unknown[],
): Promise<number> {
  let total = 0;
  for (;;) {
    const [, count] = await tx.query<[unknown, number]>(
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${BATCH}))`,
      values,
    );
    total += count;
    if (count < BATCH) return total;
  }
}
