import { AuditLog } from '@app/audit';
import { countMembers, type PlanBuyer, type Principal } from '@app/auth';
import { Clock, ConflictError, newId } from '@app/common';
import {
  type BuyingPool,
  closeOrder,
  type Coupon,
  countRedemptions,
  findCustomer,
  findSubscriptionRow,
  hadPlanBefore,
  insertOrder,
  isLive,
  isPoolFilled,
  keepCheckout,
  listOpenOf,
  lockPools,
  type Plan,
  PlanCatalog,
  type SubscriptionRow,
} from '@app/entitlements';
import { retriedTransaction } from '@app/entities';
import { type OpenCheckout, PaymentProcessor, PaymentProcessorError } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { SubscriptionSync } from '../sync/subscription-sync.js';
import { BillingDesk } from './billing-desk.js';
import { notPlanOwner, poolFor } from './buying-rights.js';
import { getCoupon, getSoldPlan, seatsOf, toOrdered, usedUp, type Wanted } from './wanted-plan.js';

export const CHECKOUT_HOURS = 23;
/** A page that closes so soon is not handed out any more. */
const LEFT_MS = 60_000;
const ROUNDS = 5;

interface Order {
  buyer: PlanBuyer;
  pool: BuyingPool;
  plan: Plan;
  wanted: Wanted;
  seats: number;
  coupon: Coupon | null;
  processor: SubscriptionRow['processor'];
}

/** Orders of plans, each with a pay page of the processor. A pool has one open order at most. */
@Injectable()
export class Checkouts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly desk: BillingDesk,
    private readonly catalog: PlanCatalog,
    private readonly processor: PaymentProcessor,
    private readonly sync: SubscriptionSync,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * A pay page for the plan. The same order again gets the same page; another one closes the former page first.
   * @throws ValidationError, ForbiddenError, ConflictError (`subscription_exists`), BadGatewayError, UnavailableError
   */
  async open(viewer: Principal, wanted: Wanted): Promise<OpenCheckout> {
    const order = await this.check(viewer, wanted);
    for (let round = 0; round < ROUNDS; round += 1) {
      const placed = await retriedTransaction(this.dataSource, (tx) => this.place(tx, order));
      if ('row' in placed) return this.openPage(order, placed.row);
      for (const former of placed.formers) await this.close(former);
    }
    throw replaced();
  }

  /** Ends an order, unless it was paid meanwhile. */
  async close(row: SubscriptionRow): Promise<void> {
    const { processorCheckoutId: checkout } = row;
    const known =
      row.processor === this.processor.kind && checkout !== null
        ? await this.desk.asking(() => this.processor.expireCheckout(checkout))
        : null;
    if (known !== null) {
      await this.desk.asking(() => this.sync.syncRow(row.id));
    } else if (!(await closeOrder(this.dataSource, row.id, checkout))) {
      const now = await findSubscriptionRow(this.dataSource, row.id);
      // Its page was opened a moment ago.
      if (now?.status === 'incomplete' && now.processorCheckoutId !== checkout) await this.close(now);
    }
  }

  private async check(viewer: Principal, wanted: Wanted): Promise<Order> {
    this.desk.offering();
    const plan = getSoldPlan(this.catalog, wanted.planCode);
    const buyer = await this.desk.buyer(viewer.userId);
    const pool = poolFor(buyer, plan);
    const { organizationId } = buyer;
    if (organizationId !== null) {
      // Nobody pays for what they would not live on.
      const isTaken = await isPoolFilled(this.dataSource.manager, { organizationId }, newId());
      if (!buyer.isOrganizationOwner && ('organizationId' in pool || isTaken)) throw notPlanOwner();
      if (isTaken) throw exists();
    }
    const members = 'organizationId' in pool ? await countMembers(this.dataSource, pool.organizationId) : 0;
    const seats = seatsOf(plan, wanted.seats, members);
    const { couponCode } = wanted;
    const coupon = couponCode ? getCoupon(this.catalog, couponCode, plan, this.clock.now()) : null;
    const processor = this.desk.processorKind();
    this.desk.returnUrl('success');
    return { buyer, pool, plan, wanted, seats, coupon, processor };
  }

  /** The row of the order; or what has to be closed before. Nothing outside is asked here. */
  private async place(
    tx: EntityManager,
    order: Order,
  ): Promise<{ row: SubscriptionRow } | { formers: SubscriptionRow[] }> {
    const { buyer, pool, plan, wanted, seats, coupon, processor } = order;
    await lockPools(tx, [pool]);
    const rows = await listOpenOf(tx, pool);
    if (rows.some(({ status }) => isLive(status))) throw exists();
    const nowMs = this.clock.now();
    const same = rows.find((row) => isSame(row, order) && (row.checkoutExpiresAt ?? 0) > nowMs + LEFT_MS);
    if (same) return { row: same };
    if (rows.length > 0) return { formers: rows };
    if (coupon !== null && coupon.maxRedemptions !== null)
      if ((await countRedemptions(tx, coupon.code)) >= coupon.maxRedemptions) throw usedUp();
    const id = newId();
    await insertOrder(tx, {
      id,
      ownerUserId: buyer.userId,
      organizationId: 'organizationId' in pool ? pool.organizationId : null,
      plan,
      billingPeriod: wanted.billingPeriod,
      seats,
      couponCode: coupon?.code ?? null,
      processor,
      customerId: await findCustomer(tx, pool, processor),
      expiresAt: nowMs + CHECKOUT_HOURS * 3_600_000,
    });
    const details = { plan_code: plan.code, billing_period: wanted.billingPeriod, seats };
    await this.audit.record(
      { action: 'subscription.checkout_opened', actor: buyer, target: `subscription:${id}`, details },
      tx,
    );
    const row = await findSubscriptionRow(tx, id);
    if (row === null) throw new Error('The order that was just written is not there.');
    return { row };
  }

  /** Asking again with the same order opens the same page, so that a process may end before the row knows of it. */
  private async openPage(order: Order, row: SubscriptionRow): Promise<OpenCheckout> {
    const { processorCheckoutId, checkoutUrl, checkoutExpiresAt } = row;
    const expiresAt = checkoutExpiresAt ?? this.clock.now();
    if (processorCheckoutId !== null && checkoutUrl !== null)
      return { id: processorCheckoutId, url: checkoutUrl, expiresAt };
    const opened = await this.desk.asking(async () => {
      try {
        return await this.processor.openCheckout(await this.toProcessorOrder(order, row, expiresAt));
      } catch (error) {
        // What was refused once is refused again: the next try is another order.
        if (error instanceof PaymentProcessorError && !error.isTransient)
          await closeOrder(this.dataSource, row.id, null);
        throw error;
      }
    });
    if (await keepCheckout(this.dataSource, row.id, opened)) return { ...opened, expiresAt };
    const now = await findSubscriptionRow(this.dataSource, row.id);
    if (now && isLive(now.status)) throw exists();
    await this.desk.asking(() => this.processor.expireCheckout(opened.id));
    throw replaced();
  }

  private async toProcessorOrder({ buyer, pool, coupon }: Order, row: SubscriptionRow, expiresAt: number) {
    const { plan, billingPeriod, seats } = row;
    return {
      reference: row.id,
      planCode: plan.code,
      planName: plan.name,
      period: billingPeriod,
      seats,
      unitAmount: billingPeriod === 'yearly' ? plan.yearlyPrice : plan.monthlyPrice,
      currency: plan.currency,
      customerId: row.processorCustomerId,
      email: buyer.email,
      language: buyer.language,
      trialDays: (await hadPlanBefore(this.dataSource, pool, buyer.userId)) ? 0 : plan.trialDays,
      coupon: coupon && toOrdered(coupon),
      successUrl: this.desk.returnUrl('success'),
      cancelUrl: this.desk.returnUrl('cancelled'),
      expiresAt,
      idempotencyKey: `checkout-${row.id}`,
    };
  }
}

/** @param row one that waits for its payment */
function isSame(row: SubscriptionRow, { buyer, plan, wanted, seats, coupon }: Order): boolean {
  const isOfBuyer = row.ownerUserId === buyer.userId && row.giveBack === 'none';
  const isOfPlan = row.plan.code === plan.code && JSON.stringify(priceOf(row.plan)) === JSON.stringify(priceOf(plan));
  return (
    isOfBuyer &&
    isOfPlan &&
    row.billingPeriod === wanted.billingPeriod &&
    row.seats === seats &&
    row.couponCode === (coupon?.code ?? null)
  );
}

/** Of a plan whose price was changed in the file, the page of the former price is not handed out. */
function priceOf({ monthlyPrice, yearlyPrice, currency }: Plan): unknown[] {
  return [monthlyPrice, yearlyPrice, currency];
}

function exists(): ConflictError {
  return new ConflictError('There is a subscription already. Change it, or cancel it first.', {
    code: 'subscription_exists',
  });
}

function replaced(): ConflictError {
  return new ConflictError('Another order was begun at the same moment. Please try again.', {
    code: 'checkout_replaced',
  });
}
