import { BooleanField } from '../http/fields.js';

export class PaymentEventResponse {
  @BooleanField({ description: 'True: also for one that was received before, or concerns nothing here.' })
  received: boolean;
}
