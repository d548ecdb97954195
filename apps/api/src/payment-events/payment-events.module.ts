import { PaymentEventsModule } from '@app/billing';
import { Module } from '@nestjs/common';
import { PaymentEventsController } from './payment-events.controller.js';

@Module({ imports: [PaymentEventsModule], controllers: [PaymentEventsController] })
export class PaymentEventRoutesModule {}
