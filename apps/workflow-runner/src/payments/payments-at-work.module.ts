import { PaymentsAtWorkModule } from '@app/billing';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { PaymentWorker } from './payment-worker.js';

/** Empty where nothing is sold. */
@Module({})
export class PaymentWorkModule {
  static forRoot({ billing }: AppConfig): DynamicModule {
    if (billing.kind === 'none') return { module: PaymentWorkModule };
    return { module: PaymentWorkModule, imports: [PaymentsAtWorkModule], providers: [PaymentWorker] };
  }
}
