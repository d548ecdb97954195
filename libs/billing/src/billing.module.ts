import { Clock, SystemClock } from '@app/common';
import type { AppConfig } from '@app/config';
import { PlanCatalog } from '@app/entitlements';
import { NoPaymentProcessor, PaymentProcessor, Subscriptions } from '@app/integrations';
import { type DynamicModule, Module, type OnModuleInit, type Provider } from '@nestjs/common';
import { AccountSubscriptions } from './account/account-subscriptions.js';
import { SubscriptionSweeper } from './lifecycle/subscription-sweeper.js';
import { SWEEP_EVERY } from './lifecycle/sweep-every.js';
import { BILLING_ADDRESSES, type BillingAddresses, BillingDesk } from './orders/billing-desk.js';
import { BillingHistory } from './orders/billing-history.js';
import { Checkouts } from './orders/checkouts.js';
import { PlanChanges } from './orders/plan-changes.js';
import { PresentPlan } from './orders/present-plan.js';
import { requireChargeable } from './orders/require-chargeable.js';
import { SubscriptionSync } from './sync/subscription-sync.js';
import { TestClockwork } from './test-processor/test-clockwork.js';
import { TestEvents } from './test-processor/test-events.js';
import { TestPayer } from './test-processor/test-payer.js';
import { testProcessorProviders } from './test-processor/test-processor-providers.js';

const SERVICES = [SubscriptionSync, BillingDesk, Checkouts, PlanChanges, PresentPlan, BillingHistory];

/** Who takes the payments, as the configuration says. */
function processorOf(config: AppConfig): Provider[] {
  if (config.billing.kind === 'test') return testProcessorProviders(config);
  if (config.billing.kind === 'stripe') return [{ provide: PaymentProcessor, useFactory: () => stripeOf(config) }];
  return [{ provide: PaymentProcessor, useClass: NoPaymentProcessor }];
}

/** Its library is loaded where it is asked for. */
async function stripeOf(config: AppConfig): Promise<PaymentProcessor> {
  const { createStripeProcessor } = await import('@app/integrations/stripe');
  return createStripeProcessor(config);
}

/**
 * Plans that are bought, changed and cancelled. Global: the routes of the api, erasures and workers ask it. Stands on the
 * app's database, audit, messages, live, queues, secrets and entitlements.
 */
@Module({})
export class BillingModule implements OnModuleInit {
  constructor(
    private readonly catalog: PlanCatalog,
    private readonly processor: PaymentProcessor,
  ) {}

  onModuleInit(): void {
    requireChargeable(this.catalog, this.processor);
  }

  static forRoot(config: AppConfig): DynamicModule {
    const { billing, http } = config;
    // Real money waits for an address that somebody chose.
    const local = billing.kind === 'test' ? `http://localhost:${http.port}` : null;
    const addresses: BillingAddresses = { returnUrl: billing.returnUrl ?? http.publicUrl ?? local };
    return {
      module: BillingModule,
      global: true,
      providers: [
        ...SERVICES,
        ...processorOf(config),
        { provide: Subscriptions, useClass: AccountSubscriptions },
        { provide: BILLING_ADDRESSES, useValue: addresses },
        { provide: Clock, useClass: SystemClock },
      ],
      exports: [
        ...SERVICES,
        PaymentProcessor,
        Subscriptions,
        ...(billing.kind === 'test' ? [TestPayer, TestEvents] : []),
      ],
    };
  }
}

/** What one process of all does from time to time. Beside `BillingModule`. */
@Module({})
export class BillingJobsModule {
  static forRoot({ billing, leases }: AppConfig): DynamicModule {
    return {
      module: BillingJobsModule,
      providers: [
        SubscriptionSweeper,
        { provide: SWEEP_EVERY, useValue: leases.sweepSeconds },
        ...(billing.kind === 'test' ? [TestClockwork] : []),
      ],
    };
  }
}
