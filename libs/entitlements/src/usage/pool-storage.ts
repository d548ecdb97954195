import { listMembers } from '@app/auth';
import { sumStorage } from '@app/entities';
import type { EntityManager } from 'typeorm';
import type { Pool } from '../subscriptions/subscription.js';

/** Whose data a pool holds: all members', deactivated ones too, or one account's. */
export function accountsOf(db: Pick<EntityManager, 'query'>, pool: Pool): Promise<number[]> | number[] {
  return pool.type === 'organization' ? listMembers(db, pool.organizationId) : [pool.userId];
}

/** Bytes that count against the storage of a pool, uploads under way left out. */
export async function storedBytes(db: Pick<EntityManager, 'query'>, pool: Pool): Promise<number> {
  const { media, workflow } = await sumStorage(db, await accountsOf(db, pool));
  return media + workflow;
}
