import { randomUUID } from 'node:crypto';
import { PlanCatalog, type Plan, type SubscriptionStatus } from '@app/entitlements';
import { LiveBus } from '@app/live';
import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface Bought {
  /** Who bought it. */
  userId: number;
  /** Whose quotas it fills; the buyer's alone without. */
  organizationId?: number;
  plan?: string;
  status?: SubscriptionStatus;
  seats?: number;
  periodEnd?: Date;
  /** What it says other than the offering. */
  limits?: Partial<Plan['limits']>;
  features?: Partial<Plan['features']>;
}

/** A subscription as the payment writes it, and the push that follows. It takes the place of the one that the pool has. */
export async function subscribe(app: INestApplicationContext, bought: Bought): Promise<void> {
  const { userId, organizationId = null, plan: code = 'starter', status = 'active', seats = 1, periodEnd } = bought;
  const plan = app.get(PlanCatalog).find(code)!;
  const sold: Plan = {
    ...plan,
    limits: { ...plan.limits, ...bought.limits },
    features: { ...plan.features, ...bought.features },
  };
  await app.get(DataSource).transaction(async (tx) => {
    await endLive(tx, bought);
    await tx.query(
      `INSERT INTO subscriptions (id, owner_user_id, organization_id, status, plan_code, plan, billing_period, seats, processor, current_period_end)
       VALUES ($1, $2, $3, $4, $5, $6, 'monthly', $7, 'test', $8)`,
      [randomUUID(), userId, organizationId, status, code, JSON.stringify(sold), seats, periodEnd ?? null],
    );
  });
  push(app, bought);
}

/** Back to the free tier. */
export async function unsubscribe(app: INestApplicationContext, bought: Bought): Promise<void> {
  await app.get(DataSource).transaction((tx) => endLive(tx, bought));
  push(app, bought);
}

async function endLive(tx: Pick<DataSource, 'query'>, { userId, organizationId }: Bought): Promise<void> {
  await tx.query(
    `UPDATE subscriptions SET status = 'canceled' WHERE status IN ('trialing', 'active', 'past_due', 'unpaid')
       AND (organization_id = $2 OR $2::int IS NULL AND organization_id IS NULL AND owner_user_id = $1)`,
    [userId, organizationId ?? null],
  );
}

function push(app: INestApplicationContext, { userId, organizationId }: Bought): void {
  app.get(LiveBus).invalidate('entitlements', organizationId === undefined ? { userId } : { organizationId });
}
