import { PaymentEventIntake, PaymentObjectReader, paymentObjectWork } from '@app/billing';
import { newId } from '@app/common';
import { PlanCatalog } from '@app/entitlements';
import { type CheckoutOrder, PaymentProcessor } from '@app/integrations';
import { WorkPerformer } from '@app/work';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { billingAtWorkModules } from './billing-modules.js';
import { testConfig } from './config.js';
import type { TestDatabase } from './database.js';
import { createUserRow } from './documents.js';
import { Mortal } from './mortal.js';
import { orderOf } from './payment-processor-contract.js';
import type { SentEvent } from './stripe/stripe-account.js';
import { StripeServer } from './stripe/stripe-server.js';

/** Events of Stripe and what becomes of them, without an api or a runner around it; nothing happens by itself. */
export class Payments {
  private constructor(
    readonly app: INestApplicationContext,
    readonly database: TestDatabase,
    readonly stripe: StripeServer,
    /** On the connections of the app alone. */
    readonly mortal: Mortal,
  ) {}

  static async start(database: TestDatabase): Promise<Payments> {
    const stripe = await StripeServer.start();
    const config = testConfig(database.url, {
      BILLING: 'stripe',
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_API_URL: stripe.url,
      SWEEP_SECONDS: '600',
    });
    @Module({
      imports: billingAtWorkModules(config),
    })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    return new Payments(app, database, stripe, new Mortal(app.get(DataSource)));
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.stripe.stop();
  }

  /** A pay page as somebody opens it, with our row. */
  async order(given: Partial<CheckoutOrder> = {}): Promise<{ id: string; checkoutId: string; userId: number }> {
    const id = newId();
    const userId = await createUserRow(this.database);
    const plan = this.app.get(PlanCatalog).find('pro')!;
    const order = orderOf({ reference: id, planCode: plan.code, unitAmount: plan.monthlyPrice, ...given });
    const page = await this.app.get(PaymentProcessor).openCheckout(order);
    await this.database.dataSource.query(
      `INSERT INTO subscriptions (id, owner_user_id, status, plan_code, plan, billing_period, seats, processor, processor_checkout_id)
       VALUES ($1, $2, 'incomplete', $3, $4, 'monthly', $5, 'stripe', $6)`,
      [id, userId, plan.code, JSON.stringify(plan), order.seats, page.id],
    );
    return { id, checkoutId: page.id, userId };
  }

  deliver(event: Pick<SentEvent, 'body'>): Promise<void> {
    const headers = { 'stripe-signature': this.stripe.sign(event) };
    return this.app.get(PaymentEventIntake).take(Buffer.from(event.body), headers);
  }

  /** Works off what is due. */
  async work(): Promise<void> {
    for (const key of await this.dueKeys()) await this.perform(key);
  }

  async dueKeys(): Promise<string[][]> {
    const rows = await this.database.dataSource.query<{ key: string[] }[]>(
      `SELECT ARRAY[processor, kind, id] AS key FROM payment_objects
       WHERE next_attempt_at <= now() AND (leased_until IS NULL OR leased_until <= now()) ORDER BY kind, id`,
    );
    return rows.map(({ key }) => key);
  }

  perform(key: readonly string[]): Promise<boolean> {
    const reader = this.app.get(PaymentObjectReader);
    return this.app.get(WorkPerformer).perform(paymentObjectWork, key, (claim, signal) => reader.read(claim, signal));
  }

  /** As after a while: leases are over, and what waits for its time is due. */
  async wait(): Promise<void> {
    await this.database.dataSource.query(
      `UPDATE payment_objects SET leased_until = CASE WHEN leased_until IS NOT NULL THEN now() - interval '1 second' END,
         next_attempt_at = CASE WHEN next_attempt_at IS NOT NULL THEN now() END`,
    );
  }
}
