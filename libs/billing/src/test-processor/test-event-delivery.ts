import { PaymentProcessor } from '@app/integrations';
import { WorkPerformer } from '@app/work';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PaymentEventIntake } from '../events/payment-event-intake.js';
import { PaymentObjectReader } from '../events/payment-object-reader.js';
import { paymentObjectWork } from '../events/payment-object-work.js';
import { SubscriptionSync } from '../sync/subscription-sync.js';
import { TestEvents } from './test-events.js';

/** Where events of the test processor go: to whoever takes those of others, signed as theirs are. */
@Injectable()
export class TestEventDelivery implements OnModuleInit {
  constructor(
    private readonly events: TestEvents,
    private readonly processor: PaymentProcessor,
    private readonly intake: PaymentEventIntake,
    private readonly performer: WorkPerformer,
    private readonly reader: PaymentObjectReader,
    private readonly sync: SubscriptionSync,
  ) {}

  onModuleInit(): void {
    const { kind: processor, signatureHeader } = this.processor;
    this.events.deliverTo(async (rawBody, signature, { kind, id }) => {
      await this.intake.take(rawBody, { [signatureHeader]: signature });
      // Whoever comes back from a page sees what came of it, though no worker is there, or one is just at it.
      const isRead = await this.performer.perform(paymentObjectWork, [processor, kind, id], (claim, signal) =>
        this.reader.read(claim, signal),
      );
      if (!isRead) await this.sync.sync({ kind, id });
    });
  }
}
