import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { InvalidEventError, PaymentProcessorError } from '@app/integrations';
import { StripePaymentProcessor } from '@app/integrations/stripe';
import { itIsAPaymentProcessor, orderOf, PRO } from '../support/payment-processor-contract.js';
import { StripeServer } from '../support/stripe/stripe-server.js';

describe('payments by Stripe', () => {
  itIsAPaymentProcessor(async () => {
    const server = await StripeServer.start();
    const { account } = server;
    return {
      processor: new StripePaymentProcessor(server.settings),
      pay: async (id) => account.pay(id),
      renew: async (id, outcome) => account.renew(id, outcome),
      declineNext: async () => void (account.declines = true),
      events: async () =>
        account.events.map((event) => ({ rawBody: Buffer.from(event.body), signature: server.sign(event) })),
      close: () => server.stop(),
    };
  });
});

describe('what is asked of Stripe', () => {
  let server: StripeServer;
  let processor: StripePaymentProcessor;
  beforeEach(async () => {
    server = await StripeServer.start();
    processor = new StripePaymentProcessor(server.settings);
  });
  afterEach(() => server.stop());

  async function bought(order = orderOf()) {
    const { id } = await processor.openCheckout(order);
    server.account.pay(id);
    return (await processor.readCheckout(id))!;
  }

  const read = (object: object) => {
    const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 't', created: 1, data: { object } });
    return processor.verifyEvent(Buffer.from(body), server.sign({ body }), Date.now()).object;
  };

  const thin = (related_object: unknown, more: object = {}) => {
    const body = JSON.stringify({
      id: 'evt_thin',
      object: 'v2.core.event',
      type: 'v1.customer.subscription.updated',
      created: '2026-11-29T21:54:55.123Z',
      livemode: false,
      related_object,
      ...more,
    });
    return processor.verifyEvent(Buffer.from(body), server.sign({ body }), Date.now());
  };

  it('is a product per plan, made once, and made good when people put it away', async () => {
    await Promise.all([1, 2, 3].map(() => processor.openCheckout(orderOf())));
    expect([...server.account.products.values()]).toMatchObject([
      { id: 'atrium_plan_pro', name: 'Pro', metadata: { plan_code: 'pro' } },
    ]);
    Object.assign(server.account.products.get('atrium_plan_pro')!, { active: false, name: 'Old' });
    await processor.openCheckout(orderOf());
    expect(server.account.products.get('atrium_plan_pro')).toMatchObject({ active: true, name: 'Pro' });
  });

  it('is a coupon per code and terms, made once', async () => {
    const coupon = { code: 'WELCOME', percentOff: 10, amountOff: null, duration: 'once' as const };
    await Promise.all([1, 2, 3].map(() => processor.openCheckout(orderOf({ coupon }))));
    expect(server.account.coupons.size).toBe(1);
    await processor.openCheckout(orderOf({ coupon: { ...coupon, percentOff: 20 } }));
    await processor.openCheckout(orderOf({ coupon: { ...coupon, percentOff: null, amountOff: 500 } }));
    expect([...server.account.coupons.values()].map((made) => made.metadata?.coupon_code)).toEqual(
      Array.from({ length: 3 }, () => 'WELCOME'),
    );
  });

  it('is a pay page as the order says, and in Arabic what the browser asks for', async () => {
    const order = orderOf({ language: 'ar', trialDays: 7 });
    await processor.openCheckout(order);
    const call = server.calls.findLast(({ path }) => path === '/v1/checkout/sessions')!;
    expect(call.form).toMatchObject({
      mode: 'subscription',
      client_reference_id: order.reference,
      metadata: { reference: order.reference },
      subscription_data: { metadata: { reference: order.reference, plan_code: 'pro' }, trial_period_days: '7' },
      locale: 'auto',
      customer_email: 'ada@acme.example',
      expires_at: String(Math.floor(order.expiresAt / 1000)),
    });
    expect(call.form).not.toHaveProperty('allow_promotion_codes');
    expect(call.headers['idempotency-key']).toBe(order.idempotencyKey);
    expect(call.headers['stripe-version']).toBe('2026-10-28.endive');
    expect(call.headers).not.toHaveProperty('x-stripe-client-telemetry');
  });

  it('closes no sooner and no later than Stripe takes', async () => {
    for (const away of [0, 60_000, 48 * 3_600_000]) {
      const { expiresAt } = await processor.openCheckout(orderOf({ expiresAt: Date.now() + away }));
      expect(expiresAt - Date.now()).toBeGreaterThan(29 * 60_000);
      expect(expiresAt - Date.now()).toBeLessThan(24.1 * 3_600_000);
    }
  });

  it('makes a customer anew who was removed there', async () => {
    const order = orderOf({ customerId: 'cus_removed' });
    const [page, again] = [await processor.openCheckout(order), await processor.openCheckout(order)];
    expect(again.id).toBe(page.id);
    expect(server.account.sessions.get(page.id)).toMatchObject({ customer: null, customer_email: order.email });
  });

  it.each([
    ['JPY', 2900, '2900'],
    ['ISK', 2900, '290000'],
    ['UGX', 9000, '900000'],
    ['HUF', 290_000, '290000'],
    ['TWD', 90_000, '90000'],
    ['KWD', 9_120, '9120'],
  ])('charges %s in the units of Stripe, and reads them back', async (currency, unitAmount, asked) => {
    const { subscriptionId } = await bought(orderOf({ currency, unitAmount, seats: 1 }));
    const call = server.calls.findLast(({ path }) => path === '/v1/checkout/sessions')!;
    expect(call.form.line_items).toMatchObject([{ price_data: { unit_amount: asked } }]);
    expect(await processor.listInvoices(subscriptionId!)).toMatchObject([{ amount: unitAmount, currency }]);
  });

  it('charges no amount that it could not charge to the last digit', async () => {
    const order = orderOf({ currency: 'KWD', unitAmount: 9_125 });
    await expect(processor.openCheckout(order)).rejects.toMatchObject({ isTransient: false });
    expect(server.account.sessions.size).toBe(0);
  });

  it('leaves alone what others sell with the same account', async () => {
    const { id, subscriptionId } = await bought();
    Object.assign(server.account.subscriptions.get(subscriptionId!)!, { metadata: {} });
    Object.assign(server.account.sessions.get(id)!, { client_reference_id: null, metadata: {} });
    server.account.subscriptions.get(subscriptionId!)!.items.data[0]!.price.product = 'prod_of_others';
    expect(await processor.readSubscription(subscriptionId!)).toBeNull();
    expect(await processor.readCheckout(id)).toBeNull();
  });

  it('is followed and cancelled by its product when somebody took our notes off it', async () => {
    const { subscriptionId } = await bought();
    server.account.subscriptions.get(subscriptionId!)!.metadata = {};
    const read = { id: subscriptionId, reference: null, planCode: 'pro', status: 'active' };
    expect(await processor.readSubscription(subscriptionId!)).toMatchObject(read);
    const changed = await processor.changeSubscription(subscriptionId!, {
      ...PRO,
      seats: 4,
      idempotencyKey: randomUUID(),
    });
    expect(changed).toMatchObject({ ...read, seats: 4 });
    server.account.subscriptions.get(subscriptionId!)!.metadata = {};
    const canceled = await processor.cancelSubscription(subscriptionId!, { idempotencyKey: randomUUID() });
    expect(canceled).toMatchObject({ ...read, status: 'canceled', seats: 4 });
  });

  it('goes by the product when people change the plan at the dashboard', async () => {
    const { subscriptionId } = await bought();
    await processor.openCheckout(orderOf({ planCode: 'team', planName: 'Team' }));
    server.account.subscriptions.get(subscriptionId!)!.items.data[0]!.price.product = 'atrium_plan_team';
    expect(await processor.readSubscription(subscriptionId!)).toMatchObject({ planCode: 'team' });
    const own = { id: 'prod_own', name: 'Own', metadata: { plan_code: 'own' } };
    server.account.products.set('prod_own', { ...server.account.products.get('atrium_plan_team')!, ...own });
    server.account.subscriptions.get(subscriptionId!)!.items.data[0]!.price.product = 'prod_own';
    expect(await processor.readSubscription(subscriptionId!)).toMatchObject({ planCode: 'own' });
  });

  it('takes a trial that ended without a card for unpaid, and what runs out for what it is until then', async () => {
    const { subscriptionId } = await bought();
    const subscription = server.account.subscriptions.get(subscriptionId!)!;
    Object.assign(subscription, { cancel_at_period_end: true, canceled_at: server.account.now() });
    expect(await processor.readSubscription(subscriptionId!)).toMatchObject({ status: 'active', canceledAt: null });
    subscription.status = 'paused';
    expect(await processor.readSubscription(subscriptionId!)).toMatchObject({ status: 'unpaid' });
    subscription.status = 'something new';
    expect(await processor.readSubscription(subscriptionId!)).toBeNull();
  });

  it.each(['breaks', { status: 500 }, { status: 503 }, { status: 409 }, 'hangs', 'answer lost'] as const)(
    'is asked again after "%j", and done once',
    async (fault) => {
      await processor.openCheckout(orderOf());
      const asking =
        fault === 'hangs' ? new StripePaymentProcessor({ ...server.settings, timeoutMs: 2000 }) : processor;
      server.fail('answer lost', fault);
      // The product is asked for first.
      await asking.openCheckout(orderOf());
      expect(server.account.sessions.size).toBe(2);
      const { subscriptionId } = await bought();
      server.calls.length = 0;
      server.fail('answer lost');
      await processor.cancelSubscription(subscriptionId!, { idempotencyKey: randomUUID() });
      expect(server.account.events.filter(({ type }) => type === 'customer.subscription.deleted')).toHaveLength(1);
    },
  );

  it('does once what was done before its answer was lost', async () => {
    const { subscriptionId: id } = await bought();
    const [invoice] = await processor.listInvoices(id!);
    const change = { ...PRO, seats: 4, idempotencyKey: randomUUID() };
    server.failAt(/^POST/, 'answer lost');
    await processor.changeSubscription(id!, change);
    server.failAt(/^POST/, 'answer lost');
    await processor.refundInvoice(invoice!.id, { idempotencyKey: randomUUID() });
    server.failAt(/^POST/, 'answer lost');
    await processor.openCheckout(orderOf());
    expect(server.account.sessions.size).toBe(2);
    expect(server.account.refunds.size).toBe(1);
    expect(server.account.invoicesOf(id!)).toHaveLength(2);
  });

  it('is told why somebody cancels, without half of a character at the end', async () => {
    const { subscriptionId: id } = await bought();
    const reason = `${'x'.repeat(499)}😀 and more`;
    await processor.cancelSubscription(id!, { reason, idempotencyKey: randomUUID() });
    expect(server.account.subscriptions.get(id!)!.cancellation_details!.comment).toBe('x'.repeat(499));
  });

  it('is refused for good what Stripe answers again from memory, whatever was wrong at first', async () => {
    const order = orderOf();
    server.failAt(/^POST \/v1\/checkout/, { status: 500, kept: true });
    await expect(processor.openCheckout(order)).rejects.toMatchObject({ isTransient: true });
    await expect(processor.openCheckout(order)).rejects.toMatchObject({ isTransient: false });
    expect(URL.canParse((await processor.openCheckout(orderOf())).url)).toBe(true);
  });

  it('is declined where there is nothing left to pay with', async () => {
    const { subscriptionId } = await bought();
    const change = { ...PRO, seats: 4, idempotencyKey: randomUUID() };
    // Of the customer, not of what the call names.
    const message = 'This customer has no attached payment source or default payment method.';
    server.failAt(/^POST \/v1\/subscriptions/, { status: 400, code: 'resource_missing', message });
    await expect(processor.changeSubscription(subscriptionId!, change)).rejects.toMatchObject({
      name: 'PaymentDeclinedError',
    });
  });

  it('gives nothing back that the bank of the payer took back already', async () => {
    const { subscriptionId } = await bought();
    const [invoice] = await processor.listInvoices(subscriptionId!);
    server.failAt(/^POST \/v1\/refunds/, { status: 400, code: 'charge_disputed' });
    await processor.refundInvoice(invoice!.id, { idempotencyKey: randomUUID() });
    expect(server.account.refunds.size).toBe(0);
    server.failAt(/^POST \/v1\/refunds/, { status: 400, code: 'balance_insufficient' });
    await expect(processor.refundInvoice(invoice!.id, { idempotencyKey: randomUUID() })).rejects.toThrow('400');
  });

  it('says that a debit is under way, and not that it failed before it did', async () => {
    server.account.debits = true;
    const { subscriptionId } = await bought();
    const statuses = async () => (await processor.listInvoices(subscriptionId!)).map(({ status }) => status);
    expect(await statuses()).toEqual(['open']);
    server.account.clear(false);
    expect(await statuses()).toEqual(['failed']);
    server.account.debits = false;
    server.account.settle(subscriptionId!);
    expect(await statuses()).toEqual(['paid']);
  });

  it('has no invoices of what Stripe does not know, nor refunds of a customer who is gone there', async () => {
    const { subscriptionId } = await bought();
    server.failAt(/^GET \/v1\/charges/, { status: 400, code: 'resource_missing' });
    expect(await processor.listInvoices(subscriptionId!)).toMatchObject([{ status: 'paid' }]);
    server.failAt(/^GET \/v1\/invoices/, { status: 400, code: 'resource_missing' });
    expect(await processor.listInvoices(subscriptionId!)).toEqual([]);
    server.failAt(/^GET \/v1\/invoices/, { status: 400 });
    await expect(processor.listInvoices(subscriptionId!)).rejects.toThrow('400');
  });

  it('says whether it may succeed later, and nothing of people and keys', async () => {
    const impatient = new StripePaymentProcessor({ ...server.settings, timeoutMs: 300, retries: 0 });
    const foreign = new StripePaymentProcessor({ ...server.settings, secretKey: 'sk_test_wrong', retries: 0 });
    const away = new StripePaymentProcessor({ ...server.settings, baseUrl: 'http://127.0.0.1:1', retries: 0 });
    const outcomes: [PaymentProcessorError, boolean][] = [];
    const refused = async (call: Promise<unknown>, isTransient: boolean) =>
      outcomes.push([await call.then(() => Promise.reject(new Error('It went well.'))).catch((e) => e), isTransient]);
    await refused(away.readCheckout('cs_1'), true);
    await refused(foreign.readCheckout('cs_1'), true);
    for (const fault of ['hangs', 'breaks', { status: 500 }, { status: 429 }] as const) {
      server.fail(fault);
      // A connection that was closed is tried once more in any case.
      if (fault === 'breaks') server.fail(fault);
      await refused(impatient.readSubscription('sub_1'), true);
    }
    server.fail({ status: 400, code: 'lock_timeout' });
    await refused(impatient.readSubscription('sub_1'), true);
    server.fail({ status: 400, message: 'ada@acme.example' });
    await refused(impatient.readSubscription('sub_1'), false);
    await refused(processor.openCheckout(orderOf({ email: 'ada.acme.example' })), false);
    for (const [error, isTransient] of outcomes) {
      expect([error.name, error.message]).toEqual(['PaymentProcessorError', error.message]);
      expect([error.message, error.isTransient]).toEqual([error.message, isTransient]);
      const written = inspect(error, { depth: 10 });
      expect(written).not.toMatch(/\bada|acme|sk_test|whsec/);
    }
  });

  it('is given more pages of invoices than one', async () => {
    const { subscriptionId } = await bought();
    for (let month = 0; month < 120; month += 1) server.account.renew(subscriptionId!, 'paid');
    expect(await processor.listInvoices(subscriptionId!)).toHaveLength(121);
  });

  it('knows of payments that were given back at the dashboard', async () => {
    const { subscriptionId } = await bought();
    for (const { payment_intent } of server.account.charges.values()) server.account.refund(payment_intent as string);
    expect(await processor.listInvoices(subscriptionId!)).toMatchObject([{ status: 'refunded' }]);
  });

  it('reads events of endpoints whose version is older, and leaves out what concerns no subscription', () => {
    const invoice = { object: 'invoice', id: 'in_1' };
    const subscription = { kind: 'subscription', id: 'sub_1' };
    expect(read({ ...invoice, subscription: 'sub_1' })).toEqual(subscription);
    expect(read({ ...invoice, parent: { subscription_details: { subscription: 'sub_1' } } })).toEqual(subscription);
    expect(read({ ...invoice, parent: null })).toBeNull();
    expect(read({ object: 'subscription', id: 'sub_1' })).toEqual(subscription);
    expect(read({ object: 'checkout.session', id: 'cs_1' })).toEqual({ kind: 'checkout', id: 'cs_1' });
    expect(read({ object: 'charge', id: 'ch_1' })).toBeNull();
  });

  it('reads thin events, which say of which object they are and nothing else', () => {
    expect(thin({ id: 'sub_1', type: 'subscription', url: '/v1/subscriptions/sub_1' })).toEqual({
      id: 'evt_thin',
      type: 'v1.customer.subscription.updated',
      createdAt: Date.parse('2026-11-29T21:54:55.123Z'),
      object: { kind: 'subscription', id: 'sub_1' },
    });
    const page = { id: 'cs_1', type: 'checkout.session', url: '/v1/checkout/sessions/cs_1' };
    expect(thin(page).object).toEqual({ kind: 'checkout', id: 'cs_1' });
    // Of an invoice it does not say of which subscription; that has events of its own.
    for (const other of [{ id: 'in_1', type: 'invoice' }, { type: 'balance' }, null, undefined])
      expect(thin(other).object).toBeNull();
    for (const wrong of [{ created: 'yesterday' }, { created: null }, { id: '' }])
      expect(() => thin(null, wrong)).toThrow(InvalidEventError);
  });
});
