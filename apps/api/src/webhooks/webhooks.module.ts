import { type DynamicModule, Module } from '@nestjs/common';
import { HookAddress } from '../workflows/hook-address.js';
import { HookDeliveryController } from './hooks/hook-delivery.controller.js';
import { HookUrlsController } from './hooks/hook-urls.controller.js';
import { WebhookAnswers } from './webhook-answers.js';
import { WebhookDeliveryController } from './webhook-delivery.controller.js';
import { WebhookKeysController } from './webhook-keys.controller.js';
import { WebhookQueueController } from './webhook-queue.controller.js';
import { WebhookTriggerController } from './webhook-trigger.controller.js';

@Module({})
export class WebhookRoutesModule {
  static forRoot(): DynamicModule {
    return {
      module: WebhookRoutesModule,
      // The routes of workflows show the addresses.
      global: true,
      controllers: [
        HookDeliveryController,
        HookUrlsController,
        WebhookDeliveryController,
        WebhookKeysController,
        WebhookQueueController,
        WebhookTriggerController,
      ],
      providers: [WebhookAnswers, HookAddress],
      exports: [HookAddress],
    };
  }
}
