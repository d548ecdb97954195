import { InvalidEventError, PaymentProcessor, PaymentProcessorError } from './payment-processor.port.js';

/** For deployments that sell nothing. */
export class NoPaymentProcessor extends PaymentProcessor {
  readonly kind = 'none';
  readonly signatureHeader = 'x-no-signature';

  readonly openCheckout = refuse;
  readonly readCheckout = refuse;
  readonly expireCheckout = refuse;
  readonly readSubscription = refuse;
  readonly changeSubscription = refuse;
  readonly cancelSubscription = refuse;
  readonly listInvoices = refuse;
  readonly refundInvoice = refuse;
  readonly openPortal = refuse;
  readonly forgetCustomer = refuse;

  verifyEvent(): never {
    throw new InvalidEventError('Nothing is sold here.');
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new PaymentProcessorError('Nothing is sold here.', false));
}
