/**
 * Who takes the payments. What a processor says of an object counts when it is read, never in the order in which its
 * events came in. Amounts are whole minor units (cents of EUR, yen of JPY), times milliseconds since 1970.
 *
 * Every call may be repeated with the same `idempotencyKey` without effects beyond the first.
 * All throw PaymentProcessorError: for what it refused, or because it was not reached.
 */
export abstract class PaymentProcessor {
  /** `none`: nothing is sold, and each call is refused. */
  abstract readonly kind: 'none' | 'test' | 'stripe';

  /** Whether such an amount of minor units can be charged to its last digit. */
  canCharge(_minor: number, _currency: string): boolean {
    return true;
  }

  /** Opens a pay page. Nothing is charged until somebody pays there; it closes by itself at `expiresAt`. */
  abstract openCheckout(order: CheckoutOrder): Promise<OpenCheckout>;

  /** Null for one that the processor does not know. */
  abstract readCheckout(id: string): Promise<CheckoutState | null>;

  /** Closes a pay page. One that is paid, or closed, stays as it is. */
  abstract expireCheckout(id: string): Promise<CheckoutState | null>;

  /** Null for one that the processor does not know. */
  abstract readSubscription(id: string): Promise<ProcessorSubscription | null>;

  /** At once, what was paid in advance reckoned in (proration). */
  abstract changeSubscription(id: string, change: SubscriptionChange): Promise<ProcessorSubscription>;

  /** At once, without giving money back. One that is cancelled stays so. */
  abstract cancelSubscription(id: string, options: CancelOptions): Promise<ProcessorSubscription>;

  /** All invoices of a subscription, the newest first; none of one that the processor does not know. */
  abstract listInvoices(subscriptionId: string): Promise<ProcessorInvoice[]>;

  /** Gives a payment back in full, such as that of a second subscription which two pay pages made of one. */
  abstract refundInvoice(invoiceId: string, options: { idempotencyKey: string }): Promise<void>;

  /** Where people change their card and see their invoices. @throws UnknownCustomerError */
  abstract openPortal(customerId: string, options: { returnUrl: string }): Promise<{ url: string; expiresAt: number }>;

  /** Forgets a customer all of whose subscriptions ended; invoices stay, as books have to. One that it does not know is no error. */
  abstract forgetCustomer(customerId: string): Promise<void>;

  /**
   * What an event says of itself. Its content is not used: the object is read anew.
   * @param signature the value of the header that `signatureHeader` names
   * @throws InvalidEventError when it was not signed by the processor within 5 minutes of now
   */
  abstract verifyEvent(rawBody: Buffer, signature: string, nowMs: number): ProcessorEvent;
  /** Lower case. */
  abstract readonly signatureHeader: string;
}

/** What is sold, in the terms of the plan that the processor shall charge for. */
export interface PricedPlan {
  planCode: string;
  planName: string;
  period: 'monthly' | 'yearly';
  seats: number;
  /** Of one seat and period. */
  unitAmount: number;
  currency: string;
}

export interface CheckoutOrder extends PricedPlan {
  /** Of our subscription; comes back with everything that the processor makes of it. */
  reference: string;
  /** Null for a new one. */
  customerId: string | null;
  email: string;
  language: 'en' | 'ar';
  trialDays: number;
  coupon: OrderedCoupon | null;
  /** Where people land who paid, or who left. */
  successUrl: string;
  cancelUrl: string;
  expiresAt: number;
  idempotencyKey: string;
}

export interface OrderedCoupon {
  code: string;
  percentOff: number | null;
  /** Of each payment, in minor units. */
  amountOff: number | null;
  duration: 'once' | 'forever';
}

export interface OpenCheckout {
  id: string;
  url: string;
  expiresAt: number;
}

export interface CheckoutState {
  id: string;
  reference: string;
  status: 'open' | 'complete' | 'expired';
  customerId: string | null;
  /** Of one that is complete. */
  subscriptionId: string | null;
}

export interface ProcessorSubscription {
  id: string;
  /** Of the checkout that made it; null where people took it off at the processor. */
  reference: string | null;
  customerId: string;
  status: 'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'unpaid' | 'canceled';
  planCode: string;
  period: 'monthly' | 'yearly';
  seats: number;
  trialEnd: number | null;
  currentPeriodEnd: number | null;
  canceledAt: number | null;
}

export interface SubscriptionChange extends PricedPlan {
  idempotencyKey: string;
}

export interface CancelOptions {
  reason?: string;
  idempotencyKey: string;
}

export interface ProcessorInvoice {
  id: string;
  subscriptionId: string;
  number: string | null;
  status: 'paid' | 'open' | 'failed' | 'refunded' | 'void';
  description: string;
  planCode: string | null;
  period: 'monthly' | 'yearly' | null;
  seats: number | null;
  /** What is, or was, to be paid. */
  amount: number;
  currency: string;
  couponCode: string | null;
  periodStart: number | null;
  periodEnd: number | null;
  createdAt: number;
  paidAt: number | null;
  /** For people; null where the processor shows none. */
  url: string | null;
}

/** Names the object that changed, to be read anew. */
export interface ProcessorEvent {
  id: string;
  type: string;
  createdAt: number;
  /** Null for what concerns no subscription of ours. */
  object: { kind: 'checkout' | 'subscription'; id: string } | null;
}

export class PaymentProcessorError extends Error {
  override name = 'PaymentProcessorError';

  /** @param isTransient whether the same call may succeed later: it was not reached, or has too much to do */
  constructor(
    message: string,
    readonly isTransient: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The card, or whatever else was to pay, was declined: for the person to mend. */
export class PaymentDeclinedError extends PaymentProcessorError {
  override name = 'PaymentDeclinedError';

  constructor(message: string) {
    super(message, false);
  }
}

/** A customer that the processor does not know, or not any more. */
export class UnknownCustomerError extends PaymentProcessorError {
  override name = 'UnknownCustomerError';

  constructor(options?: ErrorOptions) {
    super('There is no such customer.', false, options);
  }
}

/** An event that its processor did not sign, or not lately. */
export class InvalidEventError extends Error {
  override name = 'InvalidEventError';
}
