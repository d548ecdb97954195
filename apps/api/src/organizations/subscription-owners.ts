import { PlanOwners } from '@app/auth';
import { bringToOrganization, moveSubscriptionOwner, takeFromOrganization } from '@app/entitlements';
import { LiveBus } from '@app/live';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** The plan of an organisation is its subscription. */
@Injectable()
export class SubscriptionOwners extends PlanOwners {
  constructor(private readonly live: LiveBus) {
    super();
  }

  move(tx: EntityManager, organizationId: number, toUserId: number): Promise<void> {
    return moveSubscriptionOwner(tx, organizationId, toUserId);
  }

  bring(tx: EntityManager, userId: number, organizationId: number): Promise<void> {
    return bringToOrganization(tx, userId, organizationId);
  }

  takeBack(tx: EntityManager, organizationId: number, userId: number): Promise<boolean> {
    return takeFromOrganization(tx, organizationId, userId);
  }

  announce(userIds: readonly number[], organizationId?: number): void {
    for (const userId of userIds) this.live.invalidate('entitlements', { userId });
    if (organizationId !== undefined) this.live.invalidate('entitlements', { organizationId });
  }
}
