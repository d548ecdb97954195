import type { EntityManager } from 'typeorm';

/** Who pays for the plan of an organisation: subscriptions are of a lib above. */
export abstract class PlanOwners {
  /**
   * In the caller's transaction, hands what the organisation pays for over to one of its owners, who was told so.
   */
  abstract move(tx: EntityManager, organizationId: number, toUserId: number): Promise<void>;

  /** Call after commit: what these accounts may use depends on the organisation that they belong to. */
  abstract announce(userIds: readonly number[], organizationId?: number): void;
}
