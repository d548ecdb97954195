import { Module } from '@nestjs/common';
import { WebhookQueueController } from './webhook-queue.controller.js';
import { WebhookTriggerController } from './webhook-trigger.controller.js';

@Module({ controllers: [WebhookQueueController, WebhookTriggerController] })
export class WebhookRoutesModule {}
