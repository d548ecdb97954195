import { Public } from '@app/auth';
import { PaymentEventIntake } from '@app/billing';
import { Controller, Post, Req } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { ApiRequest } from '../http/api-request.js';
import { Route } from '../http/route.js';
import { PaymentEventResponse } from './payment-events.dto.js';
import { PartOf } from '../http/part-of.js';

@ApiTags('Plans')
@PartOf('core')
@Controller('subscriptions/webhook')
export class PaymentEventsController {
  constructor(private readonly intake: PaymentEventIntake) {}

  @Post()
  @Public()
  @ApiHeader({ name: 'stripe-signature', required: false, description: 'Over the bytes of the body, by Stripe.' })
  @Route({
    summary: 'Take an event of the payment processor',
    description:
      'Stored once by its id, and answered before anything is done. What it says is read from the processor.',
    errors: { 400: 'error', 404: 'detail' },
    response: PaymentEventResponse,
    rate: 'none',
    keepsRawBody: true,
  })
  async take(@Req() { rawBody, headers }: ApiRequest): Promise<PaymentEventResponse> {
    await this.intake.take(rawBody, headers);
    return { received: true };
  }
}
