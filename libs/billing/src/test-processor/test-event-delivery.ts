import { Clock } from '@app/common';
import { PaymentProcessor } from '@app/integrations';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SubscriptionSync } from '../sync/subscription-sync.js';
import { TestEvents } from './test-events.js';

/** Where events of the test processor go: to whoever takes those of others, signed as theirs are. */
@Injectable()
export class TestEventDelivery implements OnModuleInit {
  constructor(
    private readonly events: TestEvents,
    private readonly processor: PaymentProcessor,
    private readonly sync: SubscriptionSync,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.events.deliverTo(async (rawBody, signature) => {
      const { object } = this.processor.verifyEvent(rawBody, signature, this.clock.now());
      if (object !== null) await this.sync.sync(object);
    });
  }
}
