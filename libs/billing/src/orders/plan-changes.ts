import { countMembers, narrowPlanSeats, type PlanBuyer, type Principal, setPlanSeats } from '@app/auth';
import { ConflictError, NotFoundError } from '@app/common';
import { retriedTransaction } from '@app/entities';
import {
  findSubscriptionRow,
  isLive,
  isPoolFilled,
  listOpenOf,
  lockPools,
  noteCancelReason,
  type Plan,
  PlanCatalog,
  poolOf,
  type SubscriptionRow,
} from '@app/entitlements';
import { PaymentProcessor, PaymentProcessorError } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SubscriptionSync } from '../sync/subscription-sync.js';
import { BillingDesk } from './billing-desk.js';
import { findCancellable, findOwned, notPlanOwner, poolFor } from './buying-rights.js';
import { getSoldPlan, seatsOf } from './wanted-plan.js';

/** What happens to a plan that somebody has: another one, other seats, none. */
@Injectable()
export class PlanChanges {
  constructor(
    private readonly dataSource: DataSource,
    private readonly desk: BillingDesk,
    private readonly catalog: PlanCatalog,
    private readonly processor: PaymentProcessor,
    private readonly sync: SubscriptionSync,
  ) {}

  /**
   * At once; what was paid in advance is reckoned in. What is stored beyond the new plan stays, and can be read and deleted.
   * @throws NotFoundError (`no_active_subscription`), ForbiddenError, ValidationError, ConflictError, BadGatewayError
   */
  async change(viewer: Principal, wanted: { planCode: string; seats?: number | undefined }): Promise<SubscriptionRow> {
    const { buyer, row } = await this.getOwned(viewer, findOwned);
    const plan = wanted.planCode === row.plan.code ? row.plan : getSoldPlan(this.catalog, wanted.planCode);
    const pool = plan.pool === row.plan.pool ? poolOf(row) : poolFor(buyer, plan);
    const members = pool && 'organizationId' in pool ? await countMembers(this.dataSource, pool.organizationId) : 0;
    // Who does not say how many keeps them, as far as the plan allows.
    const kept = plan.seats.adjustable && row.seats >= Math.max(plan.seats.min, members) ? row.seats : undefined;
    const seats = seatsOf(plan, wanted.seats ?? kept, members);
    if (plan.code === row.plan.code && seats === row.seats) return row;
    await this.checkPool(buyer, row, plan);
    if (row.status === 'past_due' || row.status === 'unpaid')
      throw new ConflictError('A payment is open. Pay it first; then the plan can be changed.', {
        code: 'payment_open',
      });
    const organizationId = pool && 'organizationId' in pool ? pool.organizationId : null;
    if (organizationId !== null) await this.narrowSeats(organizationId, plan, seats);
    const ask = () =>
      this.processor.changeSubscription(this.subscriptionOf(row), {
        planCode: plan.code,
        planName: plan.name,
        period: row.billingPeriod,
        seats,
        unitAmount: row.billingPeriod === 'yearly' ? plan.yearlyPrice : plan.monthlyPrice,
        currency: plan.currency,
        // The same change of the same state, however often it is asked for.
        idempotencyKey: `change-${row.id}-${row.readWritten}-${plan.code}-${seats}`,
      });
    try {
      await this.desk.asking(async () => {
        try {
          await ask();
        } catch (error) {
          // Stripe repeats a "no" to the same key for a day, whatever card there is by then: a new reading makes a new key.
          if (error instanceof PaymentProcessorError && !error.isTransient) await this.sync.syncRow(row.id, buyer);
          throw error;
        }
        await this.sync.syncRow(row.id, buyer);
      });
    } catch (error) {
      if (organizationId !== null) await this.restoreSeats(organizationId);
      throw error;
    }
    return this.get(row.id);
  }

  /** At once, and nothing is charged any more. @throws as `change` */
  async cancel(viewer: Principal, reason: string | undefined): Promise<SubscriptionRow> {
    const { buyer, row } = await this.getOwned(viewer, findCancellable);
    if (reason) await noteCancelReason(this.dataSource, row.id, reason);
    await this.desk.asking(async () => {
      await this.processor.cancelSubscription(this.subscriptionOf(row), {
        ...(reason ? { reason } : {}),
        idempotencyKey: `cancel-${row.id}`,
      });
      await this.sync.syncRow(row.id, buyer);
    });
    return this.get(row.id);
  }

  /** Else who joins while the processor answers would be a member whom nobody pays for. @throws ValidationError (`seats`) */
  private async narrowSeats(organizationId: number, plan: Plan, seats: number): Promise<void> {
    await retriedTransaction(this.dataSource, (tx) =>
      narrowPlanSeats(tx, organizationId, seats, (members) => void seatsOf(plan, seats, members)),
    );
  }

  /** As the subscription has them, when nothing came of the change. */
  private async restoreSeats(organizationId: number): Promise<void> {
    await retriedTransaction(this.dataSource, async (tx) => {
      await lockPools(tx, [{ organizationId }]);
      const live = (await listOpenOf(tx, { organizationId })).find(({ status }) => isLive(status));
      await setPlanSeats(tx, organizationId, live?.seats ?? null);
    });
  }

  private async getOwned(
    viewer: Principal,
    find: typeof findOwned,
  ): Promise<{ buyer: PlanBuyer; row: SubscriptionRow }> {
    this.desk.offering();
    const buyer = await this.desk.buyer(viewer.userId);
    const row = await find(this.dataSource, buyer);
    if (row === null)
      throw new NotFoundError('There is no subscription that is paid for.', { code: 'no_active_subscription' });
    return { buyer, row };
  }

  /** A plan of another kind of pool moves the subscription there, which has to be free. */
  private async checkPool(buyer: PlanBuyer, row: SubscriptionRow, plan: Plan): Promise<void> {
    if (plan.pool === row.plan.pool) return;
    const target = poolFor(buyer, plan);
    if ('organizationId' in target ? !buyer.isOrganizationOwner : row.ownerUserId !== buyer.userId)
      throw notPlanOwner();
    if (await isPoolFilled(this.dataSource.manager, target, row.id))
      throw new ConflictError('There is another subscription for whom this plan is meant. Cancel that one first.', {
        code: 'subscription_exists',
      });
  }

  private subscriptionOf({ processorSubscriptionId, processor }: SubscriptionRow): string {
    if (processorSubscriptionId === null || processor !== this.processor.kind)
      throw new ConflictError(
        'Payments of this subscription were taken by another processor. Ask your administrator.',
        {
          code: 'other_processor',
        },
      );
    return processorSubscriptionId;
  }

  private async get(id: string): Promise<SubscriptionRow> {
    const row = await findSubscriptionRow(this.dataSource, id);
    if (row === null) throw new NotFoundError();
    return row;
  }
}
