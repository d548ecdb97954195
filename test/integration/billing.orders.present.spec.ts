import type { Principal } from '@app/auth';
import { BillingHistory, Checkouts, PlanChanges, PresentPlan, SubscriptionSync } from '@app/billing';
import type { SubscriptionRow } from '@app/entitlements';
import { PaymentProcessorError } from '@app/integrations';
import { RETURN_URL } from '../support/billing.js';
import { Till } from '../support/till.js';

describe('what somebody has, and paid', () => {
  let till: Till;
  beforeAll(async () => {
    till = await Till.open();
  });
  afterAll(() => till.stop());
  afterEach(() => jest.restoreAllMocks());

  const away = new PaymentProcessorError('It is away.', true);
  const set = ({ id }: SubscriptionRow, what: string) =>
    till.sql(`UPDATE subscriptions SET ${what} WHERE id = $1`, [id]);
  async function present(viewer: Principal) {
    const { live, order, buyer } = await till.get(PresentPlan).of(viewer);
    return { live: live && live.id, order: order && order.id, buyer: buyer.userId };
  }

  /** An order that was paid, or left until it closed, while nobody was told; nobody has asked for it lately. */
  async function quietly(what: 'pay' | 'expire') {
    const viewer = await till.person();
    const { id } = await till.order(viewer);
    const [row] = await till.subscriptionsOf(viewer);
    const telling = jest.spyOn(till.get(SubscriptionSync), 'sync').mockRejectedValue(away);
    await (what === 'pay' ? till.payer.pay(id) : till.processor.expireCheckout(id));
    telling.mockRestore();
    await set(row!, `updated_at = now() - interval '2 seconds'`);
    return { viewer, row: row! };
  }

  const historyOf = (viewer: Principal, page = 1, pageSize = 100) =>
    till.get(BillingHistory).list(viewer, { page, pageSize });
  const dateInvoices = (row: SubscriptionRow, at: string) =>
    till.sql('UPDATE billing_test_invoices SET created_at = $2 WHERE subscription_id = $1', [
      row.processorSubscriptionId,
      at,
    ]);
  const openPortal = (viewer: Principal) => till.get(BillingHistory).openPortal(viewer);
  const told = async (viewer: Principal, page?: number, pageSize?: number) => {
    const { count, items } = await historyOf(viewer, page, pageSize);
    return { count, items: items.map(({ invoice, subscription }) => `${subscription.planCode} ${invoice.amount}`) };
  };
  /** As whom somebody is shown there. */
  async function customerOf(viewer: Principal) {
    const { url } = await openPortal(viewer);
    const id = /\/portal\/(tpo_[\w-]+)\/$/.exec(url)![1]!;
    return (await till.payer.findPortal(id))!.customerId;
  }

  it('is nothing where nothing is sold', async () => {
    const viewer = await till.person();
    jest.replaceProperty(till.catalog, 'offering', null);
    const [changes, history] = [till.get(PlanChanges), till.get(BillingHistory)];
    for (const work of [
      () => till.get(Checkouts).open(viewer, { planCode: 'starter', billingPeriod: 'monthly' }),
      () => changes.change(viewer, { planCode: 'starter' }),
      () => changes.cancel(viewer, undefined),
      () => till.get(PresentPlan).of(viewer),
      () => history.list(viewer, { page: 1, pageSize: 10 }),
      () => history.openPortal(viewer),
    ])
      await expect(work()).rejects.toMatchObject({
        code: 'billing_not_available',
        message: 'This deployment sells no plans.',
      });
  });

  it('is nothing for who is gone', async () => {
    const viewer = { ...(await till.person()), userId: 2_000_000_000 };
    const history = till.get(BillingHistory);
    for (const work of [
      () => till.get(PresentPlan).of(viewer),
      () => history.list(viewer, { page: 1, pageSize: 10 }),
      () => history.openPortal(viewer),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'not_found', message: 'Not found.' });
  });

  describe('now', () => {
    it('is the plan of the organisation, else one’s own', async () => {
      const organizationId = await till.organization();
      const [owner, member] = [await till.person(organizationId), await till.person(organizationId, 'member')];
      const own = await till.buy(member);
      expect(await present(member)).toEqual({ live: own.id, order: null, buyer: member.userId });
      const shared = await till.buy(owner, { planCode: 'pro' });
      for (const viewer of [owner, member]) expect((await present(viewer)).live).toBe(shared.id);
      // Expired is had, cancelled is not.
      await set(shared, `status = 'unpaid'`);
      expect((await present(member)).live).toBe(shared.id);
      await set(shared, `status = 'canceled'`);
      expect((await present(member)).live).toBe(own.id);
      expect((await present(owner)).live).toBeNull();
    });

    it('is an order of one’s own that waits for its payment, for oneself or the organisation', async () => {
      const organizationId = await till.organization();
      const [owner, other] = [await till.person(organizationId), await till.person(organizationId)];
      const alone = await till.order(owner);
      const [first] = await till.subscriptionsOf(owner);
      expect(await present(owner)).toEqual({ live: null, order: first!.id, buyer: owner.userId });
      await till.order(owner, { planCode: 'pro' });
      const shared = (await till.subscriptionsOf(owner))[1]!;
      expect((await present(owner)).order).toBe(shared.id);
      expect((await present(other)).order).toBeNull();
      // What goes back is no order any more.
      await set(shared, `give_back = 'due'`);
      expect((await present(owner)).order).toBe(first!.id);
      await till.payer.pay(alone.id);
      expect(await present(owner)).toEqual({ live: first!.id, order: null, buyer: owner.userId });
    });

    it('is no order of another owner, though there are two of the organisation', async () => {
      const organizationId = await till.organization();
      const [owner, other] = [await till.person(organizationId), await till.person(organizationId)];
      await till.order(owner, { planCode: 'pro' });
      const [mine] = await till.subscriptionsOf(owner);
      await till.sql(
        `INSERT INTO subscriptions (id, owner_user_id, organization_id, status, plan_code, plan, billing_period, seats, processor)
         SELECT gen_random_uuid(), $2, organization_id, status, plan_code, plan, billing_period, seats, processor
         FROM subscriptions WHERE id = $1`,
        [mine!.id, other.userId],
      );
      expect((await present(owner)).order).toBe(mine!.id);
      expect((await present(other)).order).toBe((await till.subscriptionsOf(other))[0]!.id);
    });

    describe('is asked of the processor', () => {
      it('so that what was paid counts though no event told of it', async () => {
        const { viewer, row } = await quietly('pay');
        expect(await present(viewer)).toMatchObject({ live: row.id, order: null });
      });

      it('so that an order whose page has closed is none', async () => {
        const { viewer } = await quietly('expire');
        expect(await present(viewer)).toMatchObject({ live: null, order: null });
      });

      it('not within a second, and for orders alone', async () => {
        const { viewer, row } = await quietly('pay');
        await set(row, `updated_at = now() + interval '1 minute'`);
        const asked = jest.spyOn(till.processor, 'readCheckout');
        expect(await present(viewer)).toMatchObject({ live: null, order: row.id });
        expect(asked).not.toHaveBeenCalled();
        await set(row, `updated_at = now() - interval '2 seconds'`);
        expect((await present(viewer)).live).toBe(row.id);
        await set(row, `updated_at = now() - interval '2 seconds'`);
        await present(viewer);
        expect(asked).toHaveBeenCalledTimes(1);
      });

      it('who answers what it knows when it is away, or does not hurry', async () => {
        const { viewer, row } = await quietly('pay');
        const asked = jest.spyOn(till.processor, 'readCheckout');
        asked.mockRejectedValueOnce(away);
        expect(await present(viewer)).toMatchObject({ live: null, order: row.id });
        await set(row, `updated_at = now() - interval '2 seconds'`);
        asked.mockReturnValueOnce(new Promise(() => undefined));
        const later = globalThis.setTimeout;
        // Three seconds are over at once.
        jest
          .spyOn(globalThis, 'setTimeout')
          .mockImplementation(((work: () => void, after?: number) =>
            later(work, after === 3000 ? 0 : after)) as typeof setTimeout);
        expect(await present(viewer)).toMatchObject({ live: null, order: row.id });
      });

      it('and leaves no timer behind', async () => {
        const { viewer } = await quietly('pay');
        const begun = jest.spyOn(globalThis, 'setTimeout');
        const ended = jest.spyOn(globalThis, 'clearTimeout');
        await present(viewer);
        const patience = begun.mock.calls.findIndex(([, after]) => after === 3000);
        expect(patience).not.toBe(-1);
        expect(ended).toHaveBeenCalledWith(begun.mock.results[patience]!.value);
      });
    });
  });

  describe('before', () => {
    it('is told with its invoices, the newest first, in pages', async () => {
      const viewer = await till.person();
      const rows: SubscriptionRow[] = [];
      // The plan that was bought first was charged last.
      for (const [planCode, at] of [
        ['starter', '2026-03-01T00:00:00Z'],
        ['pro', '2026-01-01T00:00:00Z'],
        ['starter', '2026-02-01T00:00:00Z'],
      ] as const) {
        const row = await till.buy(viewer, { planCode, billingPeriod: at.includes('-02-') ? 'yearly' : 'monthly' });
        await dateInvoices(row, at);
        await set(row, `status = 'canceled'`);
        rows.push(row);
      }
      const all = ['starter 2900', 'starter 27840', 'pro 15800'];
      expect(await told(viewer)).toEqual({ count: 3, items: all });
      expect(await told(viewer, 1, 2)).toEqual({ count: 3, items: all.slice(0, 2) });
      expect(await told(viewer, 2, 2)).toEqual({ count: 3, items: all.slice(2) });
      expect(await told(viewer, 3, 2)).toEqual({ count: 3, items: [] });
      expect((await historyOf(viewer)).items[0]).toMatchObject({
        invoice: { subscriptionId: rows[0]!.processorSubscriptionId, status: 'paid', currency: 'EUR' },
        subscription: { id: rows[0]!.id, planName: 'Starter', billingPeriod: 'monthly', seats: 1, couponCode: null },
      });
    });

    it('has an order of its own for what was charged at one moment, whichever was bought first', async () => {
      const viewer = await till.person();
      for (let time = 0; time < 3; time += 1) {
        const row = await till.buy(viewer);
        await till.sql(`UPDATE billing_test_invoices SET id = $2 WHERE subscription_id = $1`, [
          row.processorSubscriptionId,
          `tin_${[2, 3, 1][time]}-${row.id}`,
        ]);
        await dateInvoices(row, '2026-01-01T00:00:00Z');
        await set(row, `status = 'canceled'`);
      }
      const { items } = await historyOf(viewer);
      expect(items.map(({ invoice }) => invoice.id.slice(0, 5))).toEqual(['tin_3', 'tin_2', 'tin_1']);
    });

    it('is one’s own, and that of the organisation for its owners', async () => {
      const organizationId = await till.organization();
      const [owner, other] = [await till.person(organizationId), await till.person(organizationId)];
      const member = await till.person(organizationId, 'member');
      await till.buy(member);
      await till.buy(owner, { planCode: 'pro' });
      for (const viewer of [owner, other]) expect(await told(viewer)).toEqual({ count: 1, items: ['pro 23700'] });
      expect(await told(member)).toEqual({ count: 1, items: ['starter 2900'] });
      // An order that nobody paid is no payment.
      const waiting = await till.person();
      await till.order(waiting);
      expect(await told(waiting)).toEqual({ count: 0, items: [] });
    });

    it('is told by the processor that took it alone', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer);
      jest.spyOn(till.processor, 'listInvoices').mockRejectedValueOnce(away);
      await expect(historyOf(viewer)).rejects.toMatchObject({ code: 'payment_processor_error' });
      await set(row, `processor = 'stripe'`);
      expect(await told(viewer)).toEqual({ count: 0, items: [] });
    });
  });

  describe('is shown by the processor itself', () => {
    it('with the way back', async () => {
      const viewer = await till.person();
      const { processorCustomerId: customerId } = await till.buy(viewer);
      const { url, expiresAt } = await openPortal(viewer);
      const id = /^https:\/\/api\.example\/billing\/test\/portal\/(tpo_[\w-]+)\/$/.exec(url)![1]!;
      expect(expiresAt).toBeGreaterThan(till.clock.now());
      expect(await till.payer.findPortal(id)).toEqual({ id, customerId, returnUrl: `${RETURN_URL}?billing=portal` });
      jest.spyOn(till.processor, 'openPortal').mockRejectedValueOnce(away);
      await expect(openPortal(viewer)).rejects.toMatchObject({ code: 'payment_processor_error' });
    });

    it('that of what one lives on, else of what one had', async () => {
      const organizationId = await till.organization();
      const owner = await till.person();
      const own = await till.buy(owner);
      expect(await customerOf(owner)).toBe(own.processorCustomerId);
      await set(own, `status = 'canceled'`);
      await till.moveTo(owner, organizationId);
      // Nobody paid for the organisation yet.
      expect(await customerOf(owner)).toBe(own.processorCustomerId);
      const shared = await till.buy(owner, { planCode: 'pro' });
      expect(shared.processorCustomerId).not.toBe(own.processorCustomerId);
      expect(await customerOf(owner)).toBe(shared.processorCustomerId);
      await set(own, `status = 'active'`);
      expect(await customerOf(owner)).toBe(shared.processorCustomerId);
      await set(shared, `status = 'canceled'`);
      expect(await customerOf(owner)).toBe(own.processorCustomerId);
      // Of two that are over, that of the organisation.
      await set(own, `status = 'canceled'`);
      expect(await customerOf(owner)).toBe(shared.processorCustomerId);
      await till.moveTo(owner, organizationId, 'member');
      expect(await customerOf(owner)).toBe(own.processorCustomerId);
      await till.moveTo(owner, null);
      expect(await customerOf(owner)).toBe(own.processorCustomerId);
    });

    it('that of what one pays for, to who left the organisation or is no owner any more', async () => {
      const organizationId = await till.organization();
      const owner = await till.person(organizationId);
      const { processorCustomerId } = await till.buy(owner, { planCode: 'pro' });
      await till.moveTo(owner, organizationId, 'member');
      expect(await customerOf(owner)).toBe(processorCustomerId);
      await till.moveTo(owner, null);
      expect(await customerOf(owner)).toBe(processorCustomerId);
    });

    it('not to who never paid, nor to who is no owner', async () => {
      const never = { code: 'no_active_subscription', message: 'Nothing was paid for yet.' };
      const organizationId = await till.organization();
      const [owner, member] = [await till.person(organizationId), await till.person(organizationId, 'member')];
      for (const viewer of [owner, member]) await expect(openPortal(viewer)).rejects.toMatchObject(never);
      const shared = await till.buy(owner, { planCode: 'pro' });
      await expect(openPortal(member)).rejects.toMatchObject({ code: 'not_plan_owner' });
      // One that another processor took the payments for has no place here.
      await set(shared, `processor = 'stripe'`);
      await expect(openPortal(owner)).rejects.toMatchObject(never);
      await set(shared, `status = 'canceled'`);
      await expect(openPortal(member)).rejects.toMatchObject(never);
    });
  });
});
