import { currencyDigits, shareOf } from '@app/common';
import { PaymentProcessorError } from '../payment-processor.port.js';

/** Written by Stripe with two digits, although ISO 4217 gives them none. Both have to be zeros. */
const WRITTEN_WITH_CENTS: ReadonlySet<string> = new Set(['ISK', 'UGX']);
const THREE_DIGITS = 3;

/** Of currencies with three digits the last has to be 0. @param minor whole minor units by ISO 4217 */
export function isChargeable(minor: number, currency: string): boolean {
  if (WRITTEN_WITH_CENTS.has(currency)) return Number.isSafeInteger(minor * 100);
  return currencyDigits(currency) !== THREE_DIGITS || minor % 10 === 0;
}

/**
 * @param minor whole minor units by ISO 4217 @returns the same in those of Stripe
 * @throws PaymentProcessorError for what Stripe cannot charge
 */
export function toStripeAmount(minor: number, currency: string): number {
  if (!isChargeable(minor, currency))
    throw new PaymentProcessorError(`Stripe cannot charge this amount of ${currency} to its last digit.`, false);
  return WRITTEN_WITH_CENTS.has(currency) ? minor * 100 : minor;
}

/** @param amount as Stripe writes it @param currency of ISO 4217, in capital letters */
export function fromStripeAmount(amount: number, currency: string): number {
  return WRITTEN_WITH_CENTS.has(currency) ? shareOf(amount, 1, 100) : amount;
}
