import { TestEvents, TestPayer } from '@app/billing';
import { PaymentProcessor } from '@app/integrations';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { billingModules } from '../support/billing-modules.js';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { itIsAPaymentProcessor, type SignedEvent } from '../support/payment-processor-contract.js';

describe('payments by the pages of Atrium itself', () => {
  let database: TestDatabase;
  let app: INestApplicationContext;
  beforeAll(async () => {
    database = await createTestDatabase();
    const config = testConfig(database.url, { BILLING: 'test', SWEEP_SECONDS: '600' });
    @Module({
      imports: billingModules(config),
    })
    class App {}
    app = await NestFactory.createApplicationContext(App, { logger: false });
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  const portalOf = async (id: string) => {
    const subscription = await app.get(PaymentProcessor).readSubscription(id);
    return { id: '', customerId: subscription!.customerId, returnUrl: '' };
  };

  itIsAPaymentProcessor(async () => {
    const payer = app.get(TestPayer);
    const told: SignedEvent[] = [];
    app.get(TestEvents).deliverTo(async (rawBody, signature) => void told.push({ rawBody, signature }));
    const pages: string[] = [];
    return {
      processor: app.get(PaymentProcessor),
      async pay(id) {
        pages.push((await payer.pay(id))!.id);
      },
      async renew(id, outcome) {
        const portal = await portalOf(id);
        await payer.setDeclines(portal, outcome !== 'paid');
        // As often as it is tried.
        for (let time = 0; time < (outcome === 'given up' ? 4 : 1); time += 1) await payer.advance(portal, id);
        await payer.setDeclines(portal, false);
      },
      async declineNext() {
        const { subscriptionId } = (await app.get(PaymentProcessor).readCheckout(pages.at(-1)!))!;
        await payer.setDeclines(await portalOf(subscriptionId!), true);
      },
      events: async () => told,
      close: async () => undefined,
    };
  });
});
