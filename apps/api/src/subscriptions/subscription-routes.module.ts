import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { ProfileModule } from '../profile/profile.module.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { TestPagesController } from './test-pages/test-pages.controller.js';

@Module({})
export class SubscriptionRoutesModule {
  static forRoot({ billing }: AppConfig): DynamicModule {
    return {
      module: SubscriptionRoutesModule,
      imports: [ProfileModule],
      controllers: [SubscriptionsController, ...(billing.kind === 'test' ? [TestPagesController] : [])],
    };
  }
}
