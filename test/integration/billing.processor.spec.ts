import { TestEvents, TestPayer } from '@app/billing';
import { type CheckoutOrder, PaymentProcessor, type ProcessorEvent } from '@app/integrations';
import { BillingApp } from '../support/billing-app.js';
import { orderOf as anyOrder, PRO } from '../support/payment-processor-contract.js';
import { SteppedClock } from '../support/stepped-clock.js';
import { lockWaits } from '../support/lock-waits.js';
import { until } from '../support/until.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const JANUARY_31 = Date.parse('2026-01-31T10:00:00.000Z');
const day = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().slice(0, 16));
const said = ({ seats, planCode }: { seats?: number; planCode?: string }) => ({
  ...(seats !== undefined && { seats }),
  ...(planCode !== undefined && { planCode }),
});

/** What the processor does with money and time; what all processors keep to stands in test-processor.spec.ts. */
describe('the test processor', () => {
  const clock = new SteppedClock(JANUARY_31);
  let billing: BillingApp;
  let processor: PaymentProcessor;
  let payer: TestPayer;
  let told: ProcessorEvent[] = [];
  const tellNow = async (rawBody: Buffer, signature: string) =>
    void told.push(processor.verifyEvent(rawBody, signature, clock.now()));

  beforeAll(async () => {
    billing = await BillingApp.start(clock, { PUBLIC_URL: 'https://api.example/' });
    [processor, payer] = [billing.get(PaymentProcessor), billing.get(TestPayer)];
  });
  afterAll(() => billing.stop());
  beforeEach(async () => {
    // Of other tests nothing is due, and nothing untold.
    await billing.sql('UPDATE billing_test_subscriptions SET due_at = NULL, told_revision = revision');
    await billing.sql('UPDATE billing_test_checkouts SET told_revision = revision');
    clock.set(JANUARY_31);
    told = [];
    billing.get(TestEvents).deliverTo(tellNow);
  });

  const orderOf = (given: Partial<CheckoutOrder> = {}) => anyOrder({ expiresAt: clock.now() + 23 * HOUR, ...given });
  const objects = () => told.map(({ object }) => `${object!.kind} ${object!.id}`);

  async function bought(given: Partial<CheckoutOrder> = {}) {
    const order = orderOf(given);
    const page = await processor.openCheckout(order);
    const paid = (await payer.pay(page.id))!;
    const portal = billing.portal(paid.customerId!);
    const id = paid.subscriptionId!;
    told = [];
    const seen = async () => (await payer.listPaidFor(portal)).find(({ subscription }) => subscription.id === id)!;
    return {
      id,
      order,
      page,
      portal,
      /** As it is billed. */
      billed: async () => (await seen()).subscription,
      /** The oldest first: what was asked for, and what became of it. */
      asked: async () =>
        (await seen()).invoices
          .toReversed()
          .map(({ amount, status, couponCode }) =>
            couponCode === null ? [amount, status] : [amount, status, couponCode],
          ),
      state: async () => {
        const { status, failedTries, dueAt } = (await seen()).subscription;
        return [status, failedTries, day(dueAt)];
      },
      later: (ms: number) => clock.advance(ms),
      change: (to: object, idempotencyKey = `${Math.random()}`) =>
        processor.changeSubscription(id, { ...PRO, idempotencyKey, ...to }),
    };
  }

  /** One whose next payment was just declined. */
  const declined = async (given: Partial<CheckoutOrder> = {}) => {
    const one = await bought(given);
    await payer.setDeclines(one.portal, true);
    clock.set((await one.billed()).dueAt!);
    await payer.turnDue();
    return one;
  };
  const open = async () => (await processor.openCheckout(orderOf())).id;
  const untold = async () => {
    told = [];
    billing.get(TestEvents).deliverTo(tellNow);
    await billing.get(TestEvents).tellAgain();
    return objects().toSorted();
  };

  describe('pay pages', () => {
    it('keep the order until it is paid, and then forget the address', async () => {
      const order = orderOf({ email: 'ada@acme.example', customerId: 'tcus_before' });
      const page = await processor.openCheckout(order);
      expect(page).toEqual({
        id: expect.stringMatching(/^tcs_[\w-]{43}$/),
        url: `https://api.example/billing/test/checkout/${page.id}/`,
        expiresAt: order.expiresAt,
      });
      const { email, expiresAt, reference, idempotencyKey: _, customerId, ...ordered } = order;
      const open = { id: page.id, reference, ordered, expiresAt, customerId, subscriptionId: null };
      expect(await payer.findCheckout(page.id)).toEqual({ ...open, email, status: 'open', revision: 1 });
      expect(await payer.pay(page.id)).toEqual({
        ...open,
        email: '',
        status: 'complete',
        subscriptionId: expect.stringMatching(/^tsub_[\w-]{43}$/),
        revision: 2,
      });
      expect(await billing.sql('SELECT email FROM billing_test_customers WHERE id = $1', [customerId])).toEqual([
        { email },
      ]);
      expect(await payer.findCheckout('tcs_unknown')).toBeNull();
    });

    it('are told of once they are paid, with what was bought', async () => {
      const { id } = await processor.openCheckout(orderOf());
      const { subscriptionId } = (await payer.pay(id))!;
      expect(told).toEqual([
        {
          id: expect.stringMatching(/^tev_/),
          type: 'checkout.changed',
          createdAt: JANUARY_31,
          object: { kind: 'checkout', id },
        },
        {
          id: expect.stringMatching(/^tev_/),
          type: 'subscription.changed',
          createdAt: JANUARY_31,
          object: { kind: 'subscription', id: subscriptionId },
        },
      ]);
    });

    it('are paid once', async () => {
      const { page, id, asked } = await bought();
      const again = await Promise.all([payer.pay(page.id), payer.pay(page.id)]);
      expect(again.map((one) => one?.subscriptionId)).toEqual([id, id]);
      expect(await asked()).toEqual([[8700, 'paid']]);
      expect(told).toEqual([]);
      expect(await payer.pay('tcs_unknown')).toBeNull();
    });

    it('can be paid until they expire, and not from then on', async () => {
      const [first, second] = [await processor.openCheckout(orderOf()), await processor.openCheckout(orderOf())];
      clock.set(first.expiresAt - 1);
      expect(await processor.readCheckout(first.id)).toMatchObject({ status: 'open' });
      expect(await payer.pay(first.id)).toMatchObject({ status: 'complete' });
      told = [];
      clock.set(second.expiresAt);
      expect(await payer.pay(second.id)).toMatchObject({ status: 'open', subscriptionId: null });
      expect(told).toEqual([]);
      expect(await processor.readCheckout(second.id)).toMatchObject({ status: 'expired' });
      // What is paid stays so.
      clock.advance(DAY);
      expect(await processor.readCheckout(first.id)).toMatchObject({ status: 'complete' });
      expect(objects()).toEqual([`checkout ${second.id}`]);
    });

    it('that close forget the address, tell of it once, and cannot be paid', async () => {
      const { id } = await processor.openCheckout(orderOf());
      for (let time = 0; time < 2; time += 1)
        expect(await processor.expireCheckout(id)).toMatchObject({ status: 'expired' });
      expect(await payer.pay(id)).toMatchObject({ status: 'expired', email: '', subscriptionId: null });
      expect(objects()).toEqual([`checkout ${id}`]);
    });

    it('say no more to the outside than those of other processors', async () => {
      const { id } = await processor.openCheckout(orderOf());
      const said = Object.keys((await processor.readCheckout(id))!);
      expect(said.toSorted()).toEqual(['customerId', 'id', 'reference', 'status', 'subscriptionId']);
    });
  });

  describe('what was bought', () => {
    it('is billed as it was ordered', async () => {
      const { id, order, page, portal, billed } = await bought({ seats: 1, period: 'yearly' });
      expect(await billed()).toEqual({
        id,
        reference: order.reference,
        customerId: portal.customerId,
        status: 'active',
        planCode: 'pro',
        planName: 'Pro',
        period: 'yearly',
        seats: 1,
        unitAmount: 2900,
        currency: 'EUR',
        coupon: null,
        couponApplied: false,
        credit: 0,
        anchorAt: JANUARY_31,
        periods: 1,
        periodStart: JANUARY_31,
        periodEnd: Date.parse('2027-01-31T10:00:00Z'),
        trialEnd: null,
        failedTries: 0,
        dueAt: Date.parse('2027-01-31T10:00:00Z'),
        changeKey: null,
        canceledAt: null,
        revision: 2,
      });
      const [invoice] = await processor.listInvoices(id);
      expect(invoice).toEqual({
        id: expect.stringMatching(/^tin_[\w-]{43}$/),
        subscriptionId: id,
        number: expect.stringMatching(/^TEST-20260131-[0-9A-F]{8}$/),
        status: 'paid',
        description: 'Pro, 1 seat, yearly',
        planCode: 'pro',
        period: 'yearly',
        seats: 1,
        amount: 2900,
        currency: 'EUR',
        couponCode: null,
        periodStart: JANUARY_31,
        periodEnd: Date.parse('2027-01-31T10:00:00Z'),
        createdAt: JANUARY_31,
        paidAt: JANUARY_31,
        url: `https://api.example/billing/test/invoices/${invoice!.id}/`,
      });
      expect(await payer.findInvoice(invoice!.id)).toEqual({ ...invoice, url: null });
      expect(await payer.findInvoice('tin_unknown')).toBeNull();
      expect(page.id).not.toBe(id);
    });

    it('is listed at the portal, all that the customer paid for, the newest first', async () => {
      const first = await bought();
      const second = await bought({ customerId: first.portal.customerId, email: 'new@acme.example' });
      await bought();
      const listed = await payer.listPaidFor(first.portal);
      expect(listed.map(({ subscription, invoices }) => [subscription.id, invoices.length])).toEqual([
        [second.id, 1],
        [first.id, 1],
      ]);
      expect(
        await billing.sql('SELECT email FROM billing_test_customers WHERE id = $1', [first.portal.customerId]),
      ).toEqual([{ email: 'new@acme.example' }]);
    });

    it('is renewed at the end of each month, counted from the day on which it began', async () => {
      const { id, state, billed } = await bought();
      const ends: unknown[] = [];
      for (let month = 0; month < 3; month += 1) {
        clock.set((await billed()).dueAt! - 1);
        await payer.turnDue();
        expect(told).toEqual([]);
        clock.advance(1);
        await payer.turnDue();
        expect(objects()).toEqual([`subscription ${id}`]);
        told = [];
        ends.push(await state());
      }
      expect(ends).toEqual([
        ['active', 0, '2026-03-31T10:00'],
        ['active', 0, '2026-04-30T10:00'],
        ['active', 0, '2026-05-31T10:00'],
      ]);
      const invoices = await processor.listInvoices(id);
      expect(invoices.map(({ periodStart, periodEnd }) => [day(periodStart), day(periodEnd)])).toEqual([
        ['2026-04-30T10:00', '2026-05-31T10:00'],
        ['2026-03-31T10:00', '2026-04-30T10:00'],
        ['2026-02-28T10:00', '2026-03-31T10:00'],
        ['2026-01-31T10:00', '2026-02-28T10:00'],
      ]);
      expect(invoices[0]).toMatchObject({ description: 'Pro, 3 seats, monthly', amount: 8700 });
    });

    it('is renewed ahead of time at the portal, each period after the one before', async () => {
      const { id, portal, state, later, asked } = await bought();
      later(DAY);
      await payer.advance(portal, id);
      expect(await state()).toEqual(['active', 0, '2026-03-31T10:00']);
      expect((await processor.listInvoices(id)).map(({ periodStart }) => day(periodStart))).toEqual([
        '2026-02-28T10:00',
        '2026-01-31T10:00',
      ]);
      expect(await asked()).toEqual([
        [8700, 'paid'],
        [8700, 'paid'],
      ]);
      expect(objects()).toEqual([`subscription ${id}`]);
    });

    it('is renewed once, however many look at once', async () => {
      const { id, billed } = await bought();
      clock.set((await billed()).dueAt!);
      let looks: Promise<unknown> = Promise.resolve();
      await billing.database.dataSource.transaction(async (tx) => {
        await tx.query('SELECT FROM billing_test_subscriptions WHERE id = $1 FOR UPDATE', [id]);
        looks = Promise.all([payer.turnDue(), payer.turnDue()]);
        await until(async () => (await lockWaits(billing.database.dataSource)) === 2);
      });
      await looks;
      expect(await billed()).toMatchObject({ periods: 2 });
    });

    it('belongs to its customer alone', async () => {
      const { id, portal, state } = await bought();
      const other = await bought();
      await payer.setDeclines(other.portal, true);
      expect(await Promise.all([payer.declines(portal), payer.declines(other.portal)])).toEqual([false, true]);
      expect(await payer.declines(billing.portal('tcus_unknown'))).toBe(false);
      for (const act of [() => payer.advance(other.portal, id), () => payer.advance(portal, 'tsub_unknown')])
        await act();
      expect(await state()).toEqual(['active', 0, '2026-02-28T10:00']);
      await payer.setDeclines(portal, true);
      await payer.advance(portal, id);
      await payer.setDeclines(portal, false);
      await payer.payOpen(other.portal, id);
      expect((await state())[0]).toBe('past_due');
    });

    it('is given back once it was paid, and not what failed', async () => {
      const { id, portal, asked, later } = await bought();
      await payer.setDeclines(portal, true);
      later(1);
      await payer.advance(portal, id);
      for (const { id: invoice } of await processor.listInvoices(id))
        await processor.refundInvoice(invoice, { idempotencyKey: invoice });
      expect(await asked()).toEqual([
        [8700, 'refunded'],
        [8700, 'failed'],
      ]);
      await expect(processor.refundInvoice('tin_unknown', { idempotencyKey: 'x' })).rejects.toThrow(
        'There is no such invoice.',
      );
    });
  });

  describe('trials', () => {
    it('cost nothing until they end', async () => {
      const { id, billed, asked } = await bought({ trialDays: 14 });
      const end = JANUARY_31 + 14 * DAY;
      expect(await billed()).toMatchObject({
        status: 'trialing',
        trialEnd: end,
        periodStart: JANUARY_31,
        periodEnd: end,
        dueAt: end,
        periods: 0,
        revision: 1,
      });
      expect(await processor.readSubscription(id)).toMatchObject({ trialEnd: end, currentPeriodEnd: end });
      expect(await asked()).toEqual([]);
      clock.set(end - 1);
      await payer.turnDue();
      expect(await billed()).toMatchObject({ status: 'trialing' });
    });

    it('begin the first period when they end, though it is noticed late', async () => {
      const { billed, asked } = await bought({ trialDays: 14 });
      const end = JANUARY_31 + 14 * DAY;
      clock.set(end + 5 * HOUR);
      await payer.turnDue();
      expect(await billed()).toMatchObject({
        status: 'active',
        trialEnd: end,
        anchorAt: end,
        periodStart: end,
        periodEnd: Date.parse('2026-03-14T10:00:00Z'),
        dueAt: Date.parse('2026-03-14T10:00:00Z'),
        periods: 1,
      });
      expect(await asked()).toEqual([[8700, 'paid']]);
    });

    it('are ended ahead of time at the portal, and the first period begins then', async () => {
      const { id, portal, billed, later } = await bought({ trialDays: 14 });
      later(DAY);
      await payer.advance(portal, id);
      expect(await billed()).toMatchObject({
        status: 'active',
        trialEnd: JANUARY_31 + DAY,
        periodStart: JANUARY_31 + DAY,
        periodEnd: Date.parse('2026-03-01T10:00:00Z'),
      });
      await payer.advance(portal, id);
      expect(await billed()).toMatchObject({
        trialEnd: JANUARY_31 + DAY,
        periodEnd: Date.parse('2026-04-01T10:00:00Z'),
      });
    });

    it('change their plan for nothing', async () => {
      const { change, asked, billed } = await bought({ trialDays: 14 });
      await change({
        planCode: 'team',
        planName: 'Team',
        unitAmount: 9900,
        period: 'yearly',
        seats: 9,
        currency: 'USD',
      });
      expect(await billed()).toMatchObject({
        status: 'trialing',
        planCode: 'team',
        planName: 'Team',
        unitAmount: 9900,
        period: 'yearly',
        seats: 9,
        currency: 'USD',
      });
      expect(await asked()).toEqual([]);
    });
  });

  describe('a payment that fails', () => {
    it('is tried again after one day, three and five, and then no more', async () => {
      const { state, billed, asked, id } = await declined();
      const seen = [await state()];
      for (let time = 0; time < 3; time += 1) {
        clock.set((await billed()).dueAt! - 1);
        told = [];
        await payer.turnDue();
        expect(told).toEqual([]);
        clock.advance(1);
        await payer.turnDue();
        expect(objects()).toEqual([`subscription ${id}`]);
        seen.push(await state());
      }
      expect(seen).toEqual([
        ['past_due', 1, '2026-03-01T10:00'],
        ['past_due', 2, '2026-03-04T10:00'],
        ['past_due', 3, '2026-03-09T10:00'],
        ['unpaid', 4, null],
      ]);
      expect(await asked()).toEqual([
        [8700, 'paid'],
        [8700, 'failed'],
      ]);
      clock.advance(90 * DAY);
      told = [];
      await payer.turnDue();
      expect(told).toEqual([]);
    });

    it('is paid by the next try once the card is good, and the period stays', async () => {
      const { id, state, portal, asked, billed } = await declined();
      await payer.setDeclines(portal, false);
      clock.set((await billed()).dueAt!);
      await payer.turnDue();
      expect(await state()).toEqual(['active', 0, '2026-03-31T10:00']);
      expect(await asked()).toEqual([
        [8700, 'paid'],
        [8700, 'paid'],
      ]);
      expect((await processor.listInvoices(id))[0]).toMatchObject({ paidAt: Date.parse('2026-03-01T10:00:00Z') });
    });

    it('is paid at the portal, also of what has expired; a card that is still bad changes nothing there', async () => {
      const { id, portal, state } = await declined();
      await payer.payOpen(portal, id);
      expect(await state()).toEqual(['past_due', 2, '2026-03-03T10:00']);
      for (let time = 0; time < 2; time += 1) await payer.advance(portal, id);
      expect(await state()).toEqual(['unpaid', 4, null]);
      await payer.payOpen(portal, id);
      expect(await state()).toEqual(['unpaid', 4, null]);
      await payer.setDeclines(portal, false);
      await payer.advance(portal, id);
      expect(await state()).toEqual(['unpaid', 4, null]);
      await payer.payOpen(portal, id);
      expect(await state()).toEqual(['active', 0, '2026-03-31T10:00']);
      // Nothing is open any more.
      told = [];
      await payer.payOpen(portal, id);
      expect(told).toEqual([]);
    });

    it('at the end of a trial leaves the first period unpaid', async () => {
      const { state, asked } = await declined({ trialDays: 14 });
      expect(await state()).toEqual(['past_due', 1, '2026-02-15T10:00']);
      expect(await asked()).toEqual([[8700, 'failed']]);
    });

    it('is none where nothing is to be paid', async () => {
      const { state, asked } = await declined({
        coupon: { code: 'FREE', percentOff: 100, amountOff: null, duration: 'forever' },
      });
      expect(await state()).toEqual(['active', 0, '2026-03-31T10:00']);
      expect(await asked()).toEqual([
        [0, 'paid', 'FREE'],
        [0, 'paid', 'FREE'],
      ]);
    });
  });

  describe('changes', () => {
    /** Half of February is over. */
    const HALF = 14 * DAY;

    it.each([
      ['more seats', { seats: 5 }, [2900, 0]],
      ['fewer seats', { seats: 1 }, [0, 2900]],
      ['a dearer plan', { planCode: 'team', planName: 'Team', unitAmount: 5900 }, [4500, 0]],
      ['nothing', {}, [0, 0]],
    ])('take what is left of the period into account: %s', async (_what, to, [due, credit]) => {
      const { id, order, change, billed, asked, later } = await bought();
      later(HALF);
      const changed = await change(to);
      expect(changed).toMatchObject({ id, status: 'active', reference: order.reference, seats: 3, ...said(to) });
      expect(await asked()).toEqual([
        [8700, 'paid'],
        [due, 'paid'],
      ]);
      expect(await billed()).toMatchObject({ credit, dueAt: Date.parse('2026-02-28T10:00:00Z'), periods: 1, ...to });
      expect(objects()).toEqual([`subscription ${id}`]);
    });
    it('say on their invoice what they are for', async () => {
      const { id, change, later } = await bought();
      later(HALF);
      await change({ seats: 1, planCode: 'team', planName: 'Team', unitAmount: 9900 });
      later(1);
      await change({ seats: 2, planCode: 'team', planName: 'Team', unitAmount: 9900 });
      const period = { periodEnd: Date.parse('2026-02-28T10:00:00Z'), couponCode: null, status: 'paid' };
      expect(await processor.listInvoices(id)).toMatchObject([
        { description: 'Change to Team, 2 seats', planCode: 'team', seats: 2, ...period },
        { description: 'Change to Team, 1 seat', periodStart: JANUARY_31 + HALF, seats: 1, ...period },
        { description: 'Pro, 3 seats, monthly' },
      ]);
    });

    it('that leave something in favour make the next payments less', async () => {
      const { id, portal, change, billed, asked, later } = await bought();
      later(HALF);
      await change({ seats: 1 });
      for (const _ of [1, 2]) {
        later(1);
        await payer.advance(portal, id);
      }
      expect((await asked()).slice(2)).toEqual([
        [0, 'paid'],
        [2900, 'paid'],
      ]);
      expect(await billed()).toMatchObject({ credit: 0 });
    });

    it('use what is in favour before they ask for money', async () => {
      const { change, billed, asked, later } = await bought();
      later(HALF);
      await change({ seats: 1 });
      later(1);
      await change({ seats: 2 });
      expect((await billed()).credit).toBeGreaterThan(1400);
      later(1);
      await change({ seats: 4 });
      expect((await asked()).map(([amount]) => amount)).toEqual([8700, 0, 0, expect.closeTo(1450, -1)]);
    });

    it.each([
      ['a coupon that is good once counts in the period that it was used for', 'once', [4350, 725], [8700, 1450]],
      ['one that is good for ever counts in each', 'forever', [4350, 725], [4350, 725]],
    ] as const)('%s', async (_what, duration, first, second) => {
      const { id, portal, change, asked, later } = await bought({
        coupon: { code: 'HALF', percentOff: 50, amountOff: null, duration },
      });
      later(HALF);
      await change({ seats: 4 });
      expect((await asked()).map(([amount]) => amount)).toEqual(first);
      later(1);
      await change({ seats: 3 });
      await billing.sql('UPDATE billing_test_subscriptions SET credit = 0 WHERE id = $1', [id]);
      clock.set(Date.parse('2026-02-28T10:00:00Z'));
      await payer.advance(portal, id);
      clock.set(Date.parse('2026-03-15T22:00:00Z'));
      await change({ seats: 4 });
      expect((await asked()).slice(3).map(([amount]) => amount)).toEqual(second);
    });

    it('to yearly payment begin a year now, less what is left of the month', async () => {
      const { id, change, billed, later } = await bought();
      later(HALF);
      await change({ period: 'yearly', unitAmount: 27_840 });
      const end = Date.parse('2027-02-14T10:00:00Z');
      expect(await billed()).toMatchObject({
        status: 'active',
        period: 'yearly',
        credit: 0,
        periods: 1,
        anchorAt: JANUARY_31 + HALF,
        periodStart: JANUARY_31 + HALF,
        periodEnd: end,
        dueAt: end,
      });
      expect((await processor.listInvoices(id))[0]).toMatchObject({
        description: 'Pro, 3 seats, yearly',
        amount: 3 * 27_840 - 4350,
        periodStart: JANUARY_31 + HALF,
        periodEnd: end,
        status: 'paid',
        createdAt: JANUARY_31 + HALF,
      });
    });

    it('to monthly payment keep what is in favour, also what was before', async () => {
      const { change, billed, asked, later } = await bought({ period: 'yearly', unitAmount: 36_500 });
      later(73 * DAY);
      await change({ period: 'yearly', unitAmount: 36_500, seats: 2 });
      expect(await billed()).toMatchObject({ credit: 29_200 });
      later(1);
      await change({ period: 'monthly', unitAmount: 2900, seats: 2 });
      // Four fifths of two seats, and of the third from before.
      expect((await billed()).credit).toBe(3 * 29_200 - 5800);
      expect((await asked()).at(-1)).toEqual([0, 'paid']);
    });

    it.each([
      ['once', 27_840, undefined],
      ['forever', 13_920, 'HALF'],
    ] as const)(
      'to another period go on with a coupon that is good for ever only: %s',
      async (duration, price, code) => {
        const { change, asked } = await bought({
          seats: 1,
          coupon: { code: 'HALF', percentOff: 50, amountOff: null, duration },
        });
        clock.advance(1);
        await change({ period: 'yearly', unitAmount: 27_840, seats: 1 });
        const [amount, status, coupon] = (await asked())[1]!;
        expect([amount, status, coupon]).toEqual([price - 1450, 'paid', code]);
      },
    );

    it('of one key are made once', async () => {
      const { change, asked, billed } = await bought();
      const first = await change({ seats: 5 }, 'key');
      expect(await billed()).toMatchObject({ changeKey: 'key', revision: 3 });
      told = [];
      expect(await change({ seats: 9 }, 'key')).toEqual(first);
      expect(told).toEqual([]);
      expect(await asked()).toHaveLength(2);
    });

    it.each([
      ['more seats', { seats: 5 }],
      ['a year', { period: 'yearly', unitAmount: 27_840 }],
    ])('that cannot be paid for are not made: %s', async (_what, to) => {
      const { portal, change, billed, asked, later } = await bought();
      later(HALF);
      const before = await billed();
      await payer.setDeclines(portal, true);
      await expect(change(to)).rejects.toMatchObject({
        name: 'PaymentDeclinedError',
        message: 'The payment was declined.',
      });
      expect(await billed()).toEqual(before);
      expect(await asked()).toHaveLength(1);
      expect(told).toEqual([]);
    });

    it('that cost nothing need no card', async () => {
      const { portal, change, billed } = await bought();
      await payer.setDeclines(portal, true);
      await change({ seats: 1 });
      expect(await billed()).toMatchObject({ seats: 1, credit: 5800 });
    });

    it('of what is cancelled, or not there, are refused', async () => {
      const { id, change } = await bought();
      await processor.cancelSubscription(id, { idempotencyKey: 'x' });
      await expect(change({ seats: 5 })).rejects.toMatchObject({
        message: 'The subscription is cancelled.',
        isTransient: false,
      });
      const unknown = processor.changeSubscription('tsub_unknown', { ...PRO, idempotencyKey: 'x' });
      await expect(unknown).rejects.toMatchObject({ message: 'There is no such subscription.', isTransient: false });
    });
  });

  describe('cancelling', () => {
    it('ends it at once, and nothing that is open is asked for any more', async () => {
      const { id, portal, billed, asked, later } = await bought();
      await payer.setDeclines(portal, true);
      later(DAY);
      await payer.advance(portal, id);
      told = [];
      const canceled = await processor.cancelSubscription(id, { idempotencyKey: 'x' });
      expect(canceled).toMatchObject({ status: 'canceled', canceledAt: JANUARY_31 + DAY });
      expect(await billed()).toMatchObject({ status: 'canceled', dueAt: null, canceledAt: JANUARY_31 + DAY });
      expect(await asked()).toEqual([
        [8700, 'paid'],
        [8700, 'void'],
      ]);
      later(DAY);
      expect(await processor.cancelSubscription(id, { idempotencyKey: 'y' })).toEqual(canceled);
      await payer.advance(portal, id);
      await payer.payOpen(portal, id);
      expect(await billed()).toMatchObject({ status: 'canceled' });
      expect(objects()).toEqual([`subscription ${id}`]);
    });

    it('leaves the open payments of others', async () => {
      const [one, other] = [await bought(), await bought()];
      await payer.setDeclines(other.portal, true);
      clock.advance(1);
      await payer.advance(other.portal, other.id);
      await processor.cancelSubscription(one.id, { idempotencyKey: 'x' });
      expect(await other.asked()).toEqual([
        [8700, 'paid'],
        [8700, 'failed'],
      ]);
    });
  });

  describe('portals', () => {
    it('are open for an hour, and then forgotten', async () => {
      const { portal } = await bought();
      const opened = await processor.openPortal(portal.customerId, { returnUrl: 'https://app.example/plans' });
      const id = /^https:\/\/api\.example\/billing\/test\/portal\/(tpo_[\w-]{43})\/$/.exec(opened.url)![1]!;
      expect(opened.expiresAt).toBe(JANUARY_31 + HOUR);
      clock.advance(HOUR - 1);
      await payer.turnDue();
      expect(await payer.findPortal(id)).toEqual({
        id,
        customerId: portal.customerId,
        returnUrl: 'https://app.example/plans',
      });
      clock.advance(1);
      expect(await payer.findPortal(id)).toBeNull();
      expect(await payer.findPortal('tpo_unknown')).toBeNull();
      clock.advance(1);
      await payer.turnDue();
      expect(await billing.sql('SELECT id FROM billing_test_portals WHERE id = $1', [id])).toEqual([]);
      await expect(processor.openPortal('tcus_unknown', { returnUrl: '' })).rejects.toThrow(
        'There is no such customer.',
      );
    });
  });

  describe('events', () => {
    it.each([
      [
        'whose receiver is away',
        () => billing.get(TestEvents).deliverTo(() => Promise.reject(new Error('It is away.'))),
      ],
      ['that a process could not tell', () => Object.assign(billing.get(TestEvents), { deliver: null })],
    ])('%s are told later, each object once', async (_what, silence) => {
      silence();
      const paid = await open();
      const { subscriptionId } = (await payer.pay(paid))!;
      const closed = await open();
      await processor.expireCheckout(closed);
      await payer.advance(billing.portal((await payer.findCheckout(paid))!.customerId!), subscriptionId!);
      const all = [`checkout ${paid}`, `checkout ${closed}`, `subscription ${subscriptionId}`].toSorted();
      await billing.get(TestEvents).tellAgain();
      expect(await untold()).toEqual(all);
      expect(await untold()).toEqual([]);
    });

    it('that were told are not told again', async () => {
      const [renewed, canceled] = [await bought(), await bought()];
      expect(await untold()).toEqual([]);
      await payer.advance(renewed.portal, renewed.id);
      await processor.cancelSubscription(canceled.id, { idempotencyKey: 'x' });
      await processor.expireCheckout(await open());
      expect(await untold()).toEqual([]);
    });

    it('that come late take nothing back of what was told since', async () => {
      const { id, portal } = await bought();
      await payer.advance(portal, id);
      await billing.get(TestEvents).tell('subscription', id, 1);
      expect(await untold()).toEqual([]);
    });
  });

  it('does by itself what is due: renewals, and events that were not told', async () => {
    const { id, billed } = await bought();
    const task = 'renewals of the test processor';
    expect(billing.tasks.all.find(({ name }) => name === task)).toMatchObject({ seconds: 60 });
    clock.set((await billed()).dueAt!);
    billing.get(TestEvents).deliverTo(() => Promise.reject(new Error('It is away.')));
    await billing.turn(task);
    expect(await billed()).toMatchObject({ periods: 2 });
    billing.get(TestEvents).deliverTo(tellNow);
    await billing.turn(task);
    expect(objects()).toContain(`subscription ${id}`);
  });
});
