import { Clock, newToken } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { beginPeriod, tryAgain, writeSubscription } from './test-billing.js';
import { TestEvents } from './test-events.js';
import {
  findCheckout,
  findInvoice,
  findSubscription,
  listInvoicesOf,
  listSubscriptionsOf,
  lockCheckout,
  lockSubscription,
  type TestCheckout,
  type TestSubscription,
} from './test-objects.js';
import { declinesOf } from './test-processor.js';

const DAY_MS = 86_400_000;
const BATCH = 20;

export interface Portal {
  id: string;
  customerId: string;
  returnUrl: string;
}

/** What people do on the pages of the test processor, and what time does there. */
@Injectable()
export class TestPayer {
  constructor(
    private readonly dataSource: DataSource,
    private readonly events: TestEvents,
    private readonly clock: Clock,
  ) {}

  findCheckout(id: string): Promise<TestCheckout | null> {
    return findCheckout(this.dataSource, id);
  }

  findInvoice(id: string) {
    return findInvoice(this.dataSource, id);
  }

  async findPortal(id: string): Promise<Portal | null> {
    const [row] = await this.dataSource.query<{ customer_id: string; return_url: string }[]>(
      `SELECT customer_id, return_url FROM billing_test_portals WHERE id = $1 AND expires_at > to_timestamp($2::float8 / 1000)`,
      [id, this.clock.now()],
    );
    return row ? { id, customerId: row.customer_id, returnUrl: row.return_url } : null;
  }

  /** Of a portal. */
  async listPaidFor({ customerId }: Portal) {
    const subscriptions = await listSubscriptionsOf(this.dataSource, customerId);
    const invoices = await Promise.all(subscriptions.map(({ id }) => listInvoicesOf(this.dataSource, id)));
    return subscriptions.map((subscription, at) => ({ subscription, invoices: invoices[at]! }));
  }

  async declines({ customerId }: Portal): Promise<boolean> {
    return declinesOf(this.dataSource.manager, customerId);
  }

  async setDeclines({ customerId }: Portal, declines: boolean): Promise<void> {
    await this.dataSource.query('UPDATE billing_test_customers SET declines = $2 WHERE id = $1', [
      customerId,
      declines,
    ]);
  }

  /** Pays an open page. One that is paid, or over, stays as it is. Null for one that is not there. */
  async pay(checkoutId: string): Promise<TestCheckout | null> {
    const subscriptionId = await this.dataSource.transaction(async (tx) => {
      const checkout = await lockCheckout(tx, checkoutId);
      if (checkout?.status !== 'open' || checkout.expiresAt <= this.clock.now()) return null;
      const id = `tsub_${newToken()}`;
      const customerId = await this.customerOf(tx, checkout);
      await this.begin(tx, id, customerId, checkout);
      await tx.query(
        `UPDATE billing_test_checkouts SET status = 'complete', email = '', customer_id = $2, subscription_id = $3,
           revision = revision + 1 WHERE id = $1`,
        [checkoutId, customerId, id],
      );
      return id;
    });
    const checkout = await findCheckout(this.dataSource, checkoutId);
    if (subscriptionId !== null && checkout !== null) {
      await this.events.tell('checkout', checkoutId, checkout.revision);
      const begun = await findSubscription(this.dataSource, subscriptionId);
      await this.events.tell('subscription', subscriptionId, begun?.revision ?? 1);
    }
    return checkout;
  }

  /** What would happen at the end of the trial or period, or at the next try, happens now. */
  advance(portal: Portal, subscriptionId: string): Promise<void> {
    return this.turn(subscriptionId, portal.customerId, true);
  }

  /** Tries failed payments at once, those of an expired subscription too. */
  async payOpen(portal: Portal, subscriptionId: string): Promise<void> {
    await this.change(subscriptionId, portal.customerId, async (tx, of, declines) => {
      if (of.status !== 'past_due' && of.status !== 'unpaid') return null;
      return tryAgain(tx, of, { nowMs: this.clock.now(), declines });
    });
  }

  /** Everything that is due by the clock. */
  async turnDue(): Promise<void> {
    const due = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM billing_test_subscriptions WHERE due_at <= to_timestamp($1::float8 / 1000) ORDER BY due_at LIMIT $2`,
      [this.clock.now(), BATCH],
    );
    for (const { id } of due) await this.turn(id, null, false);
    await this.dataSource.query('DELETE FROM billing_test_portals WHERE expires_at < to_timestamp($1::float8 / 1000)', [
      this.clock.now(),
    ]);
  }

  private turn(subscriptionId: string, customerId: string | null, isAhead: boolean): Promise<void> {
    return this.change(subscriptionId, customerId, async (tx, of, declines) => {
      const nowMs = this.clock.now();
      // Of what has expired, or is cancelled, nothing is due.
      if (of.dueAt === null || (!isAhead && of.dueAt > nowMs)) return null;
      if (of.status === 'past_due') return tryAgain(tx, of, { nowMs, declines });
      // The trial ends now; later periods follow the one before, even ahead of time.
      const startMs = of.status === 'trialing' ? Math.min(of.periodEnd, nowMs) : of.periodEnd;
      const trialEnd = of.status === 'trialing' ? startMs : of.trialEnd;
      return beginPeriod(tx, { ...of, trialEnd }, { startMs, nowMs, declines });
    });
  }

  private async change(
    id: string,
    customerId: string | null,
    change: (tx: EntityManager, of: TestSubscription, declines: boolean) => Promise<TestSubscription | null>,
  ): Promise<void> {
    const revision = await this.dataSource.transaction(async (tx) => {
      const before = await lockSubscription(tx, id);
      if (before === null || (customerId !== null && before.customerId !== customerId)) return null;
      const after = await change(tx, before, await declinesOf(tx, before.customerId));
      if (after === null) return null;
      await writeSubscription(tx, after);
      return before.revision + 1;
    });
    if (revision !== null) await this.events.tell('subscription', id, revision);
  }

  private async customerOf(tx: EntityManager, { customerId, email }: TestCheckout): Promise<string> {
    const id = customerId ?? `tcus_${newToken()}`;
    await tx.query(
      'INSERT INTO billing_test_customers (id, email) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET email = excluded.email',
      [id, email],
    );
    return id;
  }

  private async begin(tx: EntityManager, id: string, customerId: string, checkout: TestCheckout): Promise<void> {
    const { planCode, planName, period, seats, unitAmount, currency, coupon, trialDays } = checkout.ordered;
    const nowMs = this.clock.now();
    const trialEnd = trialDays > 0 ? nowMs + trialDays * DAY_MS : null;
    await tx.query(
      `INSERT INTO billing_test_subscriptions (id, reference, customer_id, status, plan_code, plan_name, period, seats,
         unit_amount, currency, coupon, anchor_at, period_start, period_end, trial_end, due_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, to_timestamp($12::float8 / 1000), to_timestamp($12::float8 / 1000),
         to_timestamp($13::float8 / 1000), to_timestamp($14::float8 / 1000), to_timestamp($14::float8 / 1000))`,
      [
        id,
        checkout.reference,
        customerId,
        trialEnd === null ? 'active' : 'trialing',
        planCode,
        planName,
        period,
        seats,
        unitAmount,
        currency,
        coupon === null ? null : JSON.stringify(coupon),
        nowMs,
        trialEnd ?? nowMs,
        trialEnd,
      ],
    );
    if (trialEnd !== null) return;
    const of = await lockSubscription(tx, id);
    // On the pay page itself nothing is declined that somebody paid there.
    if (of) await writeSubscription(tx, await beginPeriod(tx, of, { startMs: nowMs, nowMs, declines: false }));
  }
}
