import { randomUUID } from 'node:crypto';
import {
  type CheckoutOrder,
  InvalidEventError,
  type PaymentProcessor,
  PaymentProcessorError,
  type PricedPlan,
} from '@app/integrations';

export interface SignedEvent {
  rawBody: Buffer;
  signature: string;
}

export interface PaymentHarness {
  processor: PaymentProcessor;
  /** Somebody pays at the pay page, with a card that is good. */
  pay(checkoutId: string): Promise<void>;
  /** A period comes to its end, or a trial: the next one is paid, or not, or (`given up`) no payment is tried any more. */
  renew(subscriptionId: string, outcome: 'paid' | 'failed' | 'given up'): Promise<void>;
  /** The card is declined when next something is charged without a pay page. */
  declineNext(): Promise<void>;
  /** All that was told so far, as it is delivered. */
  events(): Promise<SignedEvent[]>;
  close(): Promise<void>;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
export const PRO: PricedPlan = {
  planCode: 'pro',
  planName: 'Pro',
  period: 'monthly',
  seats: 3,
  unitAmount: 2900,
  currency: 'EUR',
};

export const orderOf = (given: Partial<CheckoutOrder> = {}): CheckoutOrder => ({
  ...PRO,
  reference: randomUUID(),
  customerId: null,
  email: 'ada@acme.example',
  language: 'en',
  trialDays: 0,
  coupon: null,
  successUrl: 'https://atrium.example/billing?paid=1',
  cancelUrl: 'https://atrium.example/billing?paid=0',
  expiresAt: Date.now() + 23 * HOUR,
  idempotencyKey: randomUUID(),
  ...given,
});

/** What every processor keeps to. */
export function itIsAPaymentProcessor(make: () => Promise<PaymentHarness>): void {
  let harness: PaymentHarness;
  let processor: PaymentProcessor;
  beforeEach(async () => {
    harness = await make();
    ({ processor } = harness);
  });
  afterEach(() => harness.close());

  async function bought(order: CheckoutOrder = orderOf()) {
    const page = await processor.openCheckout(order);
    await harness.pay(page.id);
    const checkout = (await processor.readCheckout(page.id))!;
    return { order, checkout, id: checkout.subscriptionId! };
  }

  it('opens a pay page that nothing is charged for until somebody pays', async () => {
    const order = orderOf();
    const page = await processor.openCheckout(order);
    expect(URL.canParse(page.url)).toBe(true);
    expect(Math.abs(page.expiresAt - order.expiresAt)).toBeLessThan(60_000);
    const open = { id: page.id, reference: order.reference, status: 'open', subscriptionId: null };
    expect(await processor.readCheckout(page.id)).toMatchObject(open);
    await harness.pay(page.id);
    const paid = await processor.readCheckout(page.id);
    expect(paid).toMatchObject({ status: 'complete', reference: order.reference });
    expect(await processor.readSubscription(paid!.subscriptionId!)).toEqual({
      id: paid!.subscriptionId,
      reference: order.reference,
      customerId: paid!.customerId,
      status: 'active',
      planCode: 'pro',
      period: 'monthly',
      seats: 3,
      trialEnd: null,
      currentPeriodEnd: expect.any(Number) as number,
      canceledAt: null,
    });
    const [invoice, ...others] = await processor.listInvoices(paid!.subscriptionId!);
    expect(others).toEqual([]);
    expect(invoice).toMatchObject({
      subscriptionId: paid!.subscriptionId,
      status: 'paid',
      amount: 8700,
      currency: 'EUR',
      planCode: 'pro',
      period: 'monthly',
      seats: 3,
      couponCode: null,
    });
    expect(invoice!.paidAt).not.toBeNull();
    expect(invoice!.number).not.toBeNull();
  });

  it('opens one page for one key, however often and however much at once it is asked', async () => {
    const order = orderOf();
    const pages = await Promise.all([1, 2, 3].map(() => processor.openCheckout(order)));
    const again = await processor.openCheckout(order);
    expect(new Set([...pages, again].map(({ id }) => id)).size).toBe(1);
    expect((await processor.openCheckout(orderOf())).id).not.toBe(again.id);
  });

  it('begins with a trial, which is free, and is paid for when it ends', async () => {
    const { id } = await bought(orderOf({ trialDays: 14 }));
    const trial = (await processor.readSubscription(id))!;
    expect(trial.status).toBe('trialing');
    expect(Math.abs(trial.trialEnd! - Date.now() - 14 * DAY)).toBeLessThan(5 * 60_000);
    for (const { amount } of await processor.listInvoices(id)) expect(amount).toBe(0);
    await harness.renew(id, 'paid');
    expect((await processor.readSubscription(id))!.status).toBe('active');
    expect((await processor.listInvoices(id))[0]).toMatchObject({ status: 'paid', amount: 8700 });
  });

  it.each([
    ['a part of it once', { percentOff: 25, amountOff: null, duration: 'once' as const }, [6525, 8700]],
    ['a part of it each time', { percentOff: 25, amountOff: null, duration: 'forever' as const }, [6525, 6525]],
    ['an amount once', { percentOff: null, amountOff: 1000, duration: 'once' as const }, [7700, 8700]],
    ['all of it', { percentOff: 100, amountOff: null, duration: 'forever' as const }, [0, 0]],
  ])('takes a coupon: %s', async (_what, terms, amounts) => {
    const { id } = await bought(orderOf({ coupon: { code: 'WELCOME', ...terms } }));
    await harness.renew(id, 'paid');
    const invoices = (await processor.listInvoices(id)).toReversed();
    expect(invoices.map(({ amount }) => amount)).toEqual(amounts);
    expect(invoices[0]!.couponCode).toBe('WELCOME');
  });

  it('closes a pay page; one that is closed, or paid, stays so; one that it does not know is null', async () => {
    const { id } = await processor.openCheckout(orderOf());
    expect(await processor.expireCheckout(id)).toMatchObject({ id, status: 'expired', subscriptionId: null });
    expect(await processor.expireCheckout(id)).toMatchObject({ id, status: 'expired' });
    const { checkout } = await bought();
    expect(await processor.expireCheckout(checkout.id)).toEqual(checkout);
    for (const unknown of ['cs_unknown', randomUUID()]) {
      expect(await processor.expireCheckout(unknown)).toBeNull();
      expect(await processor.readCheckout(unknown)).toBeNull();
      expect(await processor.readSubscription(unknown)).toBeNull();
    }
  });

  it('keeps the customer of before', async () => {
    const { checkout } = await bought();
    const again = await bought(orderOf({ customerId: checkout.customerId }));
    expect(again.checkout.customerId).toBe(checkout.customerId);
    expect(again.id).not.toBe(checkout.subscriptionId);
  });

  it('changes plan and seats at once, once for one key, and reckons in what was paid', async () => {
    const { order, id } = await bought();
    const change = { ...PRO, planCode: 'team', planName: 'Team', unitAmount: 5900, seats: 5, idempotencyKey: 'k' + id };
    const changed = await processor.changeSubscription(id, change);
    expect(changed).toMatchObject({ id, reference: order.reference, planCode: 'team', seats: 5, status: 'active' });
    expect(await processor.changeSubscription(id, change)).toEqual(changed);
    expect(await processor.readSubscription(id)).toEqual(changed);
    const [last, ...before] = await processor.listInvoices(id);
    expect(before).toHaveLength(1);
    // The whole of the month is left: 5 times 59, less 3 times 29 that were paid.
    expect(Math.abs(last!.amount - (5 * 5900 - 3 * 2900))).toBeLessThan(100);
  });

  it('changes nothing when the card is declined, and says that it is', async () => {
    const { id } = await bought();
    const before = await processor.readSubscription(id);
    await harness.declineNext();
    const change = { ...PRO, planCode: 'team', planName: 'Team', unitAmount: 5900, idempotencyKey: randomUUID() };
    await expect(processor.changeSubscription(id, change)).rejects.toMatchObject({
      name: 'PaymentDeclinedError',
      isTransient: false,
    });
    expect(await processor.readSubscription(id)).toEqual(before);
  });

  it('changes to a yearly price', async () => {
    const { id } = await bought();
    const yearly = { ...PRO, period: 'yearly' as const, unitAmount: 27_840, idempotencyKey: randomUUID() };
    const changed = await processor.changeSubscription(id, yearly);
    expect(changed.period).toBe('yearly');
    expect(changed.currentPeriodEnd! - Date.now()).toBeGreaterThan(360 * DAY);
    expect((await processor.listInvoices(id))[0]).toMatchObject({ period: 'yearly', planCode: 'pro' });
  });

  it('cancels at once, and what is cancelled stays so', async () => {
    const { id } = await bought();
    const canceled = await processor.cancelSubscription(id, { reason: 'Too dear.', idempotencyKey: randomUUID() });
    expect(canceled).toMatchObject({ id, status: 'canceled' });
    expect(Math.abs(canceled.canceledAt! - Date.now())).toBeLessThan(60_000);
    expect(await processor.cancelSubscription(id, { idempotencyKey: randomUUID() })).toEqual(canceled);
    expect(await processor.readSubscription(id)).toEqual(canceled);
  });

  it('tells of payments that fail, and that are no longer tried', async () => {
    const { id } = await bought();
    await harness.renew(id, 'failed');
    expect((await processor.readSubscription(id))!.status).toBe('past_due');
    expect((await processor.listInvoices(id))[0]).toMatchObject({ status: 'failed', amount: 8700, paidAt: null });
    await harness.renew(id, 'given up');
    expect((await processor.readSubscription(id))!.status).toBe('unpaid');
  });

  it('gives a payment back once, however often it is asked', async () => {
    const { id } = await bought();
    const [invoice] = await processor.listInvoices(id);
    const idempotencyKey = randomUUID();
    await Promise.all([1, 2].map(() => processor.refundInvoice(invoice!.id, { idempotencyKey })));
    await processor.refundInvoice(invoice!.id, { idempotencyKey: randomUUID() });
    expect(await processor.listInvoices(id)).toMatchObject([{ id: invoice!.id, status: 'refunded', amount: 8700 }]);
  });

  it('lists all invoices of a subscription and no other, the newest first', async () => {
    const { id } = await bought();
    await bought();
    for (let month = 0; month < 12; month += 1) await harness.renew(id, 'paid');
    const invoices = await processor.listInvoices(id);
    expect(invoices).toHaveLength(13);
    expect(new Set(invoices.map(({ subscriptionId }) => subscriptionId))).toEqual(new Set([id]));
    const starts = invoices.map(({ periodStart }) => periodStart!);
    expect(starts).toEqual(starts.toSorted((a, b) => b - a));
  });

  it('opens a portal for a customer', async () => {
    const { checkout } = await bought();
    const portal = await processor.openPortal(checkout.customerId!, { returnUrl: 'https://atrium.example/billing' });
    expect(URL.canParse(portal.url)).toBe(true);
    expect(portal.expiresAt).toBeGreaterThan(Date.now());
  });

  it('forgets a customer whose subscriptions ended, and keeps what was paid', async () => {
    const { id, checkout, order } = await bought();
    await processor.cancelSubscription(id, { idempotencyKey: 'end' });
    await processor.forgetCustomer(checkout.customerId!);
    await processor.forgetCustomer(checkout.customerId!);
    await processor.forgetCustomer('cus_nobody');
    expect(await processor.readSubscription(id)).toMatchObject({ status: 'canceled' });
    expect(await processor.listInvoices(id)).toMatchObject([
      { status: 'paid', amount: order.unitAmount * order.seats },
    ]);
    await expect(processor.openPortal(checkout.customerId!, { returnUrl: 'https://a.example/' })).rejects.toMatchObject(
      {
        name: 'UnknownCustomerError',
        isTransient: false,
      },
    );
    // Who comes back is a customer anew.
    const again = await processor.openCheckout(orderOf({ customerId: checkout.customerId }));
    await harness.pay(again.id);
    expect(await processor.readCheckout(again.id)).toMatchObject({ status: 'complete' });
  });

  it('refuses what it does not know, for good', async () => {
    const change = { ...PRO, idempotencyKey: randomUUID() };
    for (const call of [
      () => processor.changeSubscription('sub_unknown', change),
      () => processor.cancelSubscription('sub_unknown', { idempotencyKey: randomUUID() }),
      () => processor.refundInvoice('in_unknown', { idempotencyKey: randomUUID() }),
      () => processor.openPortal('cus_unknown', { returnUrl: 'https://atrium.example/' }),
    ]) {
      const refused = call();
      await expect(refused).rejects.toBeInstanceOf(PaymentProcessorError);
      await expect(refused).rejects.toMatchObject({ isTransient: false });
    }
  });

  it('signs its events, which name what changed', async () => {
    const { checkout, id } = await bought();
    await processor.cancelSubscription(id, { idempotencyKey: randomUUID() });
    const read = (await harness.events()).map(({ rawBody, signature }) =>
      processor.verifyEvent(rawBody, signature, Date.now()),
    );
    expect(new Set(read.map((event) => event.id)).size).toBe(read.length);
    const named = read.map(({ object }) => object);
    expect(named).toContainEqual({ kind: 'checkout', id: checkout.id });
    expect(named.at(-1)).toEqual({ kind: 'subscription', id });
  });

  it('takes no event that was changed, signed by another, or signed at another time', async () => {
    await bought();
    const [{ rawBody, signature } = { rawBody: Buffer.alloc(0), signature: '' }] = await harness.events();
    const now = Date.now();
    const take =
      (body: Buffer, header: string, at = now) =>
      () =>
        processor.verifyEvent(body, header, at);
    expect(take(rawBody, signature)).not.toThrow();
    for (const at of [0, Math.floor(rawBody.length / 2), rawBody.length - 1]) {
      const changed = Buffer.from(rawBody);
      changed[at]! ^= 1;
      expect(take(changed, signature)).toThrow(InvalidEventError);
    }
    for (const changed of [
      Buffer.concat([rawBody, Buffer.from(' ')]),
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), rawBody]),
      Buffer.concat([rawBody, Buffer.from([0xff])]),
      Buffer.alloc(0),
    ])
      expect(take(changed, signature)).toThrow(InvalidEventError);
    const wrong = [...'=,;', ''].map((mark) => mark.repeat(3));
    for (const header of [
      ...wrong,
      signature.slice(0, -1),
      `${signature.slice(0, -1)}é`,
      't=1,v1=',
      'x'.repeat(10_000),
    ])
      expect(take(rawBody, header)).toThrow(InvalidEventError);
    for (const away of [-6 * 60_000, 6 * 60_000])
      expect(take(rawBody, signature, now + away)).toThrow(InvalidEventError);
    for (const away of [-4 * 60_000, 4 * 60_000]) expect(take(rawBody, signature, now + away)).not.toThrow();
  });
}
