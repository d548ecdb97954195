import type { Principal } from '@app/auth';
import { BillingDesk, Checkouts, SubscriptionSync } from '@app/billing';
import { UnavailableError } from '@app/common';
import type { Coupon, Offering, Plan } from '@app/entitlements';
import { type OpenCheckout, PaymentProcessorError } from '@app/integrations';
import { RETURN_URL } from '../support/billing.js';
import { Till } from '../support/till.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const EXISTS = {
  code: 'subscription_exists',
  message: 'There is a subscription already. Change it, or cancel it first.',
};
const REPLACED = {
  code: 'checkout_replaced',
  message: 'Another order was begun at the same moment. Please try again.',
};
const NOT_OWNER = { code: 'not_plan_owner', message: 'Only an owner of your organization decides about its plan.' };

describe('orders of plans', () => {
  let till: Till;
  beforeAll(async () => {
    till = await Till.open();
  });
  afterAll(() => till.stop());
  afterEach(() => jest.restoreAllMocks());

  const statusesOf = async (viewer: Principal) => (await till.subscriptionsOf(viewer)).map(({ status }) => status);
  const closeLast = async (viewer: Principal) =>
    till.get(Checkouts).close((await till.subscriptionsOf(viewer)).at(-1)!);
  const pageStatus = async (id: string) => (await till.processor.readCheckout(id))!.status;
  /** What the processor was told to charge for. */
  const ordered = async ({ id }: OpenCheckout) => {
    const page = await till.payer.findCheckout(id);
    return { ...page!.ordered, email: page!.email, customerId: page!.customerId };
  };
  /** The offering says something else from now on, until the end of the test. */
  const sell = (plans: (plan: Plan) => Plan, coupons: (coupon: Coupon) => Coupon = (coupon) => coupon) => {
    const offering = till.catalog.offering!;
    const other: Offering = { ...offering, plans: offering.plans.map(plans), coupons: offering.coupons.map(coupons) };
    jest.replaceProperty(till.catalog, 'offering', other);
  };
  /** Something happens between the pay page and the row of the order. */
  const whenOpened = (happens: (page: OpenCheckout, reference: string) => Promise<unknown>) => {
    const { processor } = till;
    const open = processor.openCheckout.bind(processor);
    jest.spyOn(processor, 'openCheckout').mockImplementationOnce(async (order) => {
      const page = await open(order);
      await happens(page, order.reference);
      return page;
    });
  };

  describe('are told to the processor', () => {
    it('as the plan is sold by month, and are noted', async () => {
      const viewer = await till.person();
      const page = await till.order(viewer);
      const [row, ...others] = await till.subscriptionsOf(viewer);
      expect(others).toEqual([]);
      expect(page).toEqual({
        id: row!.processorCheckoutId,
        url: `https://api.example/billing/test/checkout/${page.id}/`,
        expiresAt: till.clock.now() + 23 * HOUR,
      });
      expect(await ordered(page)).toEqual({
        planCode: 'starter',
        planName: 'Starter',
        period: 'monthly',
        seats: 1,
        unitAmount: 2900,
        currency: 'EUR',
        language: 'en',
        trialDays: 0,
        coupon: null,
        successUrl: `${RETURN_URL}?billing=success`,
        cancelUrl: `${RETURN_URL}?billing=cancelled`,
        email: viewer.email,
        customerId: null,
      });
      expect(row).toMatchObject({
        status: 'incomplete',
        ownerUserId: viewer.userId,
        organizationId: null,
        plan: till.catalog.find('starter'),
        billingPeriod: 'monthly',
        seats: 1,
        couponCode: null,
        processor: 'test',
        processorCustomerId: null,
        checkoutUrl: page.url,
        checkoutExpiresAt: page.expiresAt,
      });
      expect(await till.audited(row!.id)).toEqual([
        {
          action: 'subscription.checkout_opened',
          actor: viewer.username,
          details: { plan_code: 'starter', billing_period: 'monthly', seats: 1 },
        },
      ]);
    });

    it('by year, with a coupon, in the language of the buyer', async () => {
      const viewer = await till.person();
      await till.sql(`UPDATE users SET language = 'ar' WHERE id = $1`, [viewer.userId]);
      const page = await till.order(viewer, { billingPeriod: 'yearly', couponCode: ' always ' });
      expect(await ordered(page)).toMatchObject({
        period: 'yearly',
        unitAmount: 27_840,
        language: 'ar',
        coupon: { code: 'ALWAYS', percentOff: null, amountOff: 900, duration: 'forever' },
      });
      expect((await till.subscriptionsOf(viewer))[0]).toMatchObject({ billingPeriod: 'yearly', couponCode: 'ALWAYS' });
    });

    it('with the trial of the plan for who had none, and as the customer who paid before', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer, { planCode: 'trial' });
      expect(row.status).toBe('trialing');
      await till.processor.cancelSubscription(row.processorSubscriptionId!, { idempotencyKey: 'x' });
      const again = await till.order(viewer, { planCode: 'trial' });
      expect(await ordered(again)).toMatchObject({ trialDays: 0, customerId: row.processorCustomerId });
      expect(await ordered(await till.order(await till.person(), { planCode: 'trial' }))).toMatchObject({
        trialDays: 14,
        customerId: null,
      });
    });

    it('as those of the organisation for a plan of it, with a seat for each member', async () => {
      const organizationId = await till.organization();
      const owner = await till.person(organizationId);
      for (let member = 0; member < 2; member += 1) await till.person(organizationId, 'member');
      expect(await ordered(await till.order(owner, { planCode: 'pro' }))).toMatchObject({ seats: 3, unitAmount: 7900 });
      expect((await till.subscriptionsOf(owner))[0]).toMatchObject({
        organizationId,
        ownerUserId: owner.userId,
        seats: 3,
      });
      await expect(till.order(owner, { planCode: 'pro', seats: 2 })).rejects.toMatchObject({
        fields: { seats: ['Your organization has 3 members, so 3 seats are needed at least.'] },
      });
      // One's own plan is for oneself, in an organisation too.
      await till.order(owner);
      expect((await till.subscriptionsOf(owner))[1]).toMatchObject({
        organizationId: null,
        seats: 1,
        status: 'incomplete',
      });
    });

    it('as one’s own in a personal organisation', async () => {
      const viewer = await till.person(await till.organization({ personal: true }), 'member');
      await till.order(viewer, { planCode: 'pro' });
      expect((await till.subscriptionsOf(viewer))[0]).toMatchObject({ organizationId: null, seats: 2 });
    });
  });

  describe('are refused', () => {
    it('where nothing says where people come back to, before anything is written', async () => {
      const viewer = await till.person();
      jest.spyOn(till.get(BillingDesk), 'returnUrl').mockImplementation(() => {
        throw new UnavailableError('Payments are not set up on this deployment yet.');
      });
      await expect(till.order(viewer)).rejects.toThrow(UnavailableError);
      expect(await till.subscriptionsOf(viewer)).toEqual([]);
    });

    it('for who is gone, and for plans and coupons that are not sold', async () => {
      const viewer = await till.person();
      await expect(till.order({ ...viewer, userId: 2_000_000_000 })).rejects.toMatchObject({ code: 'not_found' });
      await expect(till.order(viewer, { planCode: 'old' })).rejects.toMatchObject({
        fields: { plan_code: ['The plan "Old" is no longer sold.'] },
      });
      await expect(till.order(viewer, { couponCode: 'FORPRO' })).rejects.toMatchObject({
        fields: { coupon_code: ['This coupon is not for the plan "Starter".'] },
      });
      expect(await till.subscriptionsOf(viewer)).toEqual([]);
      // An empty field is none.
      await till.order(viewer, { couponCode: '' });
    });

    it('with a coupon from the moment on at which it expires', async () => {
      const viewer = await till.person();
      sell(
        (plan) => plan,
        (coupon) => ({ ...coupon, expiresAt: till.clock.now() + 1 }),
      );
      await till.order(viewer, { couponCode: 'HALF' });
      till.clock.advance(1);
      await expect(till.order(await till.person(), { couponCode: 'HALF' })).rejects.toMatchObject({
        fields: { coupon_code: ['This coupon has expired.'] },
      });
    });

    it('with a coupon that as many orders hold as may, until one of them closes unpaid', async () => {
      sell(
        (plan) => plan,
        (coupon) => ({ ...coupon, maxRedemptions: coupon.code === 'THREE' ? 2 : coupon.maxRedemptions }),
      );
      const people = [await till.person(), await till.person(), await till.person()];
      const couponCode = 'THREE';
      for (const viewer of people.slice(0, 2)) await till.order(viewer, { couponCode });
      const refused = { fields: { coupon_code: ['This coupon was used as often as it may be.'] } };
      await expect(till.order(people[2]!, { couponCode })).rejects.toMatchObject(refused);
      await till.buy(people[0]!, { couponCode });
      await expect(till.order(people[2]!, { couponCode })).rejects.toMatchObject(refused);
      await till.get(Checkouts).close((await till.subscriptionsOf(people[1]!))[0]!);
      await till.order(people[2]!, { couponCode });
    });

    it('while there is a plan already, of oneself or of the organisation', async () => {
      const organizationId = await till.organization();
      const [owner, member] = [await till.person(organizationId), await till.person(organizationId, 'member')];
      // An order of the organisation's keeps nobody from one of their own.
      await till.order(owner, { planCode: 'pro' });
      await till.order(member);
      await till.buy(owner, { planCode: 'pro' });
      for (const planCode of ['pro', 'starter']) {
        await expect(till.order(owner, { planCode })).rejects.toMatchObject(EXISTS);
        await expect(till.order(member, { planCode })).rejects.toMatchObject(NOT_OWNER);
      }
      const alone = await till.person();
      await till.buy(alone);
      await expect(till.order(alone, { planCode: 'trial' })).rejects.toMatchObject(EXISTS);
    });

    it('to those who are no owners, of a plan of their organisation', async () => {
      const organizationId = await till.organization();
      for (const role of ['admin', 'member'] as const) {
        const viewer = await till.person(organizationId, role);
        await expect(till.order(viewer, { planCode: 'pro' })).rejects.toMatchObject(NOT_OWNER);
        await till.buy(viewer);
      }
    });
  });

  describe('that are there already', () => {
    it('give the same page again, and another page when it is about to close', async () => {
      const viewer = await till.person();
      const begun = till.clock.now();
      const first = await till.order(viewer, { couponCode: 'HALF' });
      till.clock.set(first.expiresAt - MINUTE - 1);
      expect(await till.order(viewer, { couponCode: 'half' })).toEqual(first);
      till.clock.advance(1);
      const second = await till.order(viewer, { couponCode: 'HALF' });
      expect(second.id).not.toBe(first.id);
      expect(await pageStatus(first.id)).toBe('expired');
      expect(await statusesOf(viewer)).toEqual(['incomplete_expired', 'incomplete']);
      till.clock.set(begun);
    });

    it.each([
      ['plan', { planCode: 'trial' }],
      ['period', { billingPeriod: 'yearly' }],
      ['coupon', { couponCode: 'HALF' }],
    ] as const)('are closed by one with another %s', async (_, wanted) => {
      const viewer = await till.person();
      const first = await till.order(viewer);
      const second = await till.order(viewer, wanted);
      expect(second.id).not.toBe(first.id);
      expect(await pageStatus(first.id)).toBe('expired');
      expect(await statusesOf(viewer)).toEqual(['incomplete_expired', 'incomplete']);
    });

    it('are closed by one with another plan that costs the same', async () => {
      const viewer = await till.person();
      sell((plan) => ({ ...plan, monthlyPrice: 100, yearlyPrice: 1000 }));
      const first = await till.order(viewer);
      const second = await till.order(viewer, { planCode: 'trial' });
      expect((await ordered(second)).planCode).toBe('trial');
      expect(await pageStatus(first.id)).toBe('expired');
    });

    it('are one, however many are begun at the same moment', async () => {
      const viewer = await till.person();
      const pages = await Promise.all([1, 2, 3].map(() => till.order(viewer)));
      expect(new Set(pages.map(({ id }) => id)).size).toBe(1);
      expect(await till.subscriptionsOf(viewer)).toHaveLength(1);
    });

    it.each(['monthlyPrice', 'yearlyPrice', 'currency'] as const)(
      'are closed when the plan has another %s in the meantime, and by no other change of it',
      async (what) => {
        const viewer = await till.person();
        const first = await till.order(viewer);
        sell((plan) => ({ ...plan, name: 'Renamed' }));
        expect(await till.order(viewer)).toEqual(first);
        sell((plan) => ({ ...plan, [what]: what === 'currency' ? 'USD' : 1 }));
        expect((await till.order(viewer)).id).not.toBe(first.id);
        expect(await pageStatus(first.id)).toBe('expired');
      },
    );

    it('are closed by one with other seats, and by one of another owner', async () => {
      const organizationId = await till.organization();
      const [owner, other] = [await till.person(organizationId), await till.person(organizationId)];
      const wanted = { planCode: 'pro', seats: 3 };
      const first = await till.order(owner, wanted);
      const second = await till.order(owner, { ...wanted, seats: 4 });
      expect(second.id).not.toBe(first.id);
      const third = await till.order(other, { ...wanted, seats: 4 });
      expect(third.id).not.toBe(second.id);
      for (const { id } of [first, second]) expect(await pageStatus(id)).toBe('expired');
      expect(await pageStatus(third.id)).toBe('open');
    });

    it('are not handed out where their payment goes back', async () => {
      const viewer = await till.person();
      const first = await till.order(viewer);
      await till.sql(`UPDATE subscriptions SET give_back = 'due' WHERE owner_user_id = $1`, [viewer.userId]);
      expect((await till.order(viewer)).id).not.toBe(first.id);
    });

    it('are not lost when they were paid a moment ago and nobody was told', async () => {
      const viewer = await till.person();
      const first = await till.order(viewer);
      jest.spyOn(till.get(SubscriptionSync), 'sync').mockRejectedValue(new Error('It is away.'));
      await till.payer.pay(first.id);
      expect(await statusesOf(viewer)).toEqual(['incomplete']);
      await expect(till.order(viewer, { planCode: 'trial' })).rejects.toMatchObject(EXISTS);
      expect(await statusesOf(viewer)).toEqual(['active']);
    });

    it('and cannot be closed are given up after some tries', async () => {
      const viewer = await till.person();
      const { id } = await till.order(viewer);
      const open = (await till.processor.readCheckout(id))!;
      const expire = jest.spyOn(till.processor, 'expireCheckout').mockResolvedValue(open);
      await expect(till.order(viewer, { planCode: 'trial' })).rejects.toMatchObject(REPLACED);
      expect(expire).toHaveBeenCalledTimes(5);
      expect(expire).toHaveBeenCalledWith(id);
      expect(await statusesOf(viewer)).toEqual(['incomplete']);
    });
  });

  describe('whose pay page is being opened', () => {
    it('are taken up again when the processor was away', async () => {
      const viewer = await till.person();
      const open = jest.spyOn(till.processor, 'openCheckout');
      open.mockRejectedValueOnce(new PaymentProcessorError('It is away.', true));
      await expect(till.order(viewer)).rejects.toMatchObject({ code: 'payment_processor_error' });
      const [row] = await till.subscriptionsOf(viewer);
      expect(row).toMatchObject({ status: 'incomplete', processorCheckoutId: null });
      const page = await till.order(viewer);
      expect((await till.subscriptionsOf(viewer)).map(({ id }) => id)).toEqual([row!.id]);
      expect(page.expiresAt).toBe(row!.checkoutExpiresAt);
      // Whatever happened to the first call, the processor knows the second as the same.
      expect(open.mock.calls[0]).toEqual(open.mock.calls[1]);
      expect(open.mock.calls[0]![0].idempotencyKey).toContain(row!.id);
      expect((await till.rowOfPage(page.id)).id).toBe(row!.id);
      expect(await till.order(viewer)).toEqual(page);
      expect(open).toHaveBeenCalledTimes(2);
    });

    it('are over when the processor refused them', async () => {
      const viewer = await till.person();
      const open = jest.spyOn(till.processor, 'openCheckout');
      open.mockRejectedValueOnce(new PaymentProcessorError('No such currency.', false));
      await expect(till.order(viewer)).rejects.toMatchObject({ code: 'payment_processor_error' });
      expect(await statusesOf(viewer)).toEqual(['incomplete_expired']);
      open.mockRejectedValueOnce(new TypeError('A fault of ours.'));
      await expect(till.order(viewer)).rejects.toThrow(TypeError);
      await till.order(viewer);
      expect(await statusesOf(viewer)).toEqual(['incomplete_expired', 'incomplete']);
    });

    it('give way to another one that closed them meanwhile', async () => {
      const viewer = await till.person();
      let opened = '';
      whenOpened((page, reference) => {
        opened = page.id;
        return till.sql(`UPDATE subscriptions SET status = 'incomplete_expired' WHERE id = $1`, [reference]);
      });
      await expect(till.order(viewer)).rejects.toMatchObject(REPLACED);
      expect(await pageStatus(opened)).toBe('expired');
    });

    it('are paid before anybody here knows of the page', async () => {
      const viewer = await till.person();
      whenOpened((page) => till.payer.pay(page.id));
      await expect(till.order(viewer)).rejects.toMatchObject(EXISTS);
      expect(await statusesOf(viewer)).toEqual(['active']);
    });

    it('go with the account', async () => {
      const viewer = await till.person();
      let opened = '';
      whenOpened((page, reference) => {
        opened = page.id;
        return till.sql('DELETE FROM subscriptions WHERE id = $1', [reference]);
      });
      await expect(till.order(viewer)).rejects.toMatchObject(REPLACED);
      expect(await pageStatus(opened)).toBe('expired');
    });
  });

  describe('that are closed', () => {
    it('close at the processor', async () => {
      const viewer = await till.person();
      const { id } = await till.order(viewer);
      await closeLast(viewer);
      expect([await pageStatus(id), ...(await statusesOf(viewer))]).toEqual(['expired', 'incomplete_expired']);
    });

    it('say that the processor could not be reached, and stay open', async () => {
      const viewer = await till.person();
      await till.order(viewer);
      const away = new PaymentProcessorError('It is away.', true);
      jest.spyOn(till.processor, 'expireCheckout').mockRejectedValueOnce(away);
      await expect(closeLast(viewer)).rejects.toMatchObject({ code: 'payment_processor_error' });
      jest.spyOn(till.processor, 'readCheckout').mockRejectedValue(away);
      await expect(closeLast(viewer)).rejects.toMatchObject({ code: 'payment_processor_error' });
      expect(await statusesOf(viewer)).toEqual(['incomplete']);
    });

    it('close here alone when the processor does not know them, or is another one', async () => {
      const [lost, former, unopened] = [await till.person(), await till.person(), await till.person()];
      for (const viewer of [lost, former, unopened]) await till.order(viewer);
      const change = (viewer: Principal, set: string) =>
        till.sql(`UPDATE subscriptions SET ${set} WHERE owner_user_id = $1`, [viewer.userId]);
      await change(lost, `processor_checkout_id = 'tcs_lost'`);
      await change(former, `processor = 'stripe'`);
      await change(unopened, 'processor_checkout_id = NULL');
      const expire = jest.spyOn(till.processor, 'expireCheckout');
      for (const viewer of [lost, former, unopened]) {
        await closeLast(viewer);
        expect(await statusesOf(viewer)).toEqual(['incomplete_expired']);
      }
      expect(expire.mock.calls).toEqual([['tcs_lost']]);
    });

    it('close the page that was opened a moment ago', async () => {
      const viewer = await till.person();
      const { id } = await till.order(viewer);
      const row = (await till.subscriptionsOf(viewer))[0]!;
      await till.get(Checkouts).close({ ...row, processorCheckoutId: null });
      expect([await pageStatus(id), ...(await statusesOf(viewer))]).toEqual(['expired', 'incomplete_expired']);
    });

    it('stay as they are when they are over, paid or gone', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer);
      const expire = jest.spyOn(till.processor, 'expireCheckout');
      const unopened = { ...row, processorCheckoutId: null };
      await till.get(Checkouts).close(unopened);
      await till.get(Checkouts).close({ ...unopened, id: '0198f000-0000-7000-8000-000000000000' });
      expect(expire).not.toHaveBeenCalled();
      await till.get(Checkouts).close(row);
      expect(await statusesOf(viewer)).toEqual(['active']);
      // One that has a subscription, of which nobody knows more yet.
      await till.sql(
        `UPDATE subscriptions SET status = 'incomplete', processor_checkout_id = 'tcs_unknown' WHERE id = $1`,
        [row.id],
      );
      await closeLast(viewer);
      expect(await statusesOf(viewer)).toEqual(['incomplete']);
    });
  });
});
