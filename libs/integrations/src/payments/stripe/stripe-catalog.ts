import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { type OrderedCoupon, PaymentProcessorError, type PricedPlan } from '../payment-processor.port.js';
import { productIdOf } from './read-objects.js';
import { asking, findAt, isStripeError } from './stripe-client.js';
import { toStripeAmount } from './stripe-money.js';

const LONGEST_COUPON_NAME = 40;

/** What has to be at Stripe before something is sold there. Names are reckoned, so that everything is made once. */
export class StripeCatalog {
  constructor(private readonly stripe: Stripe) {}

  /** The product of a plan, by its name of today. @returns its id */
  async product({ planCode, planName }: PricedPlan): Promise<string> {
    const id = productIdOf(planCode);
    const { products } = this.stripe;
    const found = await findAt(() => products.retrieve(id));
    if (!found) {
      await this.unlessThere(() => products.create({ id, name: planName, metadata: { plan_code: planCode } }));
      return id;
    }
    // One that was archived could not be sold.
    if (found.name !== planName || !found.active)
      await asking(() => products.update(id, { name: planName, active: true, metadata: { plan_code: planCode } }));
    return id;
  }

  /** Of this code and these terms: a code whose terms change in the file is another coupon. @returns its id */
  async coupon({ code, percentOff, amountOff, duration }: OrderedCoupon, currency: string): Promise<string> {
    const terms =
      percentOff === null
        ? { amount_off: toStripeAmount(amountOff ?? 0, currency), currency: currency.toLowerCase() }
        : { percent_off: percentOff };
    const text = JSON.stringify([code, terms, duration]);
    const id = `atrium_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    const { coupons } = this.stripe;
    const found = await findAt(() => coupons.retrieve(id));
    if (found?.valid) return id;
    if (found) throw new PaymentProcessorError('The coupon was closed at Stripe.', false);
    const name = code.slice(0, LONGEST_COUPON_NAME);
    await this.unlessThere(() => coupons.create({ id, name, duration, metadata: { coupon_code: code }, ...terms }));
    return id;
  }

  /** Two that make the same at once have made it. */
  private async unlessThere(create: () => Promise<unknown>): Promise<void> {
    await asking(async () => {
      try {
        await create();
      } catch (error) {
        if (!isStripeError(error) || error.code !== 'resource_already_exists') throw error;
      }
    });
  }
}
