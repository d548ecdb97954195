import { Clock, SystemClock } from '@app/common';
import type { AppConfig } from '@app/config';
import { createStripeProcessor, PaymentProcessor } from '@app/integrations';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { SubscriptionSync } from './sync/subscription-sync.js';

/**
 * Who takes the payments, and what becomes of them. Global. Needs the modules of the database, of audit, messages, live
 * updates and entitlements. Where nothing is sold it is empty.
 */
@Module({})
export class BillingModule {
  /** Whether there is anything to do. */
  static takesPayments(config: AppConfig): boolean {
    return providerOf(config) !== null;
  }

  static forRoot(config: AppConfig): DynamicModule {
    const processor = providerOf(config);
    const providers =
      processor === null ? [] : [processor, SubscriptionSync, { provide: Clock, useClass: SystemClock }];
    const exported = processor === null ? [] : [PaymentProcessor, SubscriptionSync];
    return { module: BillingModule, global: true, providers, exports: exported };
  }
}

function providerOf(config: AppConfig): Provider | null {
  if (config.billing.kind === 'stripe')
    return { provide: PaymentProcessor, useFactory: () => createStripeProcessor(config) };
  return null;
}
