import type { EntityManager } from 'typeorm';

/** Who pays for the plan of an organisation: subscriptions are of a lib above. */
export abstract class PlanOwners {
  /**
   * In the caller's transaction, hands what the organisation pays for over to one of its owners, who was told so.
   */
  abstract move(tx: EntityManager, organizationId: number, toUserId: number): Promise<void>;

  /** In the caller's transaction: a plan for an organisation that somebody pays for becomes that of the one they just made. */
  abstract bring(tx: EntityManager, userId: number, organizationId: number): Promise<void>;

  /**
   * In the caller's transaction: what the organisation lives on becomes that of its last member again.
   * @returns false where it cannot: somebody else pays for it, or the member has a plan of their own
   */
  abstract takeBack(tx: EntityManager, organizationId: number, userId: number): Promise<boolean>;

  /** Call after commit: what these accounts may use depends on the organisation that they belong to. */
  abstract announce(userIds: readonly number[], organizationId?: number): void;
}
