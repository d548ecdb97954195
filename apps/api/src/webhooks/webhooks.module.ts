import { Module } from '@nestjs/common';
import { WebhookAnswers } from './webhook-answers.js';
import { WebhookDeliveryController } from './webhook-delivery.controller.js';
import { WebhookKeysController } from './webhook-keys.controller.js';
import { WebhookQueueController } from './webhook-queue.controller.js';
import { WebhookTriggerController } from './webhook-trigger.controller.js';

@Module({
  controllers: [WebhookDeliveryController, WebhookKeysController, WebhookQueueController, WebhookTriggerController],
  providers: [WebhookAnswers],
})
export class WebhookRoutesModule {}
