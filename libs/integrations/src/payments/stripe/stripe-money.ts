import { currencyDigits, shareOf } from '@app/common';
import { PaymentProcessorError } from '../payment-processor.port.js';

/** Written by Stripe with two digits, although ISO 4217 gives them none. Both have to be zeros. */
const WRITTEN_WITH_CENTS: ReadonlySet<string> = new Set(['ISK', 'UGX']);
const THREE_DIGITS = 3;

/**
 * @param minor whole minor units by ISO 4217 @returns the same in those of Stripe
 * @throws PaymentProcessorError for what Stripe cannot charge: of currencies with three digits the last has to be 0
 */
export function toStripeAmount(minor: number, currency: string): number {
  if (WRITTEN_WITH_CENTS.has(currency)) {
    const scaled = minor * 100;
    if (!Number.isSafeInteger(scaled)) throw unchargeable(currency);
    return scaled;
  }
  if (currencyDigits(currency) === THREE_DIGITS && minor % 10 !== 0) throw unchargeable(currency);
  return minor;
}

/** @param amount as Stripe writes it @param currency of ISO 4217, in capital letters */
export function fromStripeAmount(amount: number, currency: string): number {
  return WRITTEN_WITH_CENTS.has(currency) ? shareOf(amount, 1, 100) : amount;
}

const unchargeable = (currency: string) =>
  new PaymentProcessorError(`Stripe cannot charge this amount of ${currency} to its last digit.`, false);
