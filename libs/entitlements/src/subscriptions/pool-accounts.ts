import { lockAccount } from '@app/access';
import { listMembers, lockOrganization, membersOf } from '@app/auth';
import type { EntityManager } from 'typeorm';
import type { Pool } from './subscription.js';

/**
 * Locks the row of the pool's owner: whoever else uses up one of its quotas waits until the transaction ends.
 * @returns whether there is such an owner
 */
export function lockPool(tx: EntityManager, pool: Pool): Promise<boolean> {
  return pool.type === 'organization' ? lockOrganization(tx, pool.organizationId) : lockAccount(tx, pool.userId);
}

/** SQL of the ids of the accounts that share such a pool, `$1` being `ownerOf` it. */
export const ACCOUNTS_OF: Readonly<Record<'organization' | 'account', string>> = {
  /** Whoever joins or leaves takes along what they have: it is counted where they are. */
  organization: membersOf('$1'),
  account: 'SELECT $1::int',
};

/** The organisation, or the account. */
export function ownerOf(pool: Pool): { kind: keyof typeof ACCOUNTS_OF; id: number } {
  return pool.type === 'organization'
    ? { kind: 'organization', id: pool.organizationId }
    : { kind: 'account', id: pool.userId };
}

/** Whose data a pool holds: all members', deactivated ones too, or one account's. */
export function accountsOf(db: Pick<EntityManager, 'query'>, pool: Pool): Promise<number[]> | number[] {
  return pool.type === 'organization' ? listMembers(db, pool.organizationId) : [pool.userId];
}
