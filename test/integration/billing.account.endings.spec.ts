import type { Principal } from '@app/auth';
import { BillingHistory, OwnedSubscriptions, SubscriptionSync } from '@app/billing';
import type { SubscriptionRow } from '@app/entitlements';
import { ErasureRegistry } from '@app/erasure';
import { PaymentProcessorError, Subscriptions } from '@app/integrations';
import { Till } from '../support/till.js';

describe('subscriptions of an account', () => {
  let till: Till;
  beforeAll(async () => {
    till = await Till.open();
  });
  afterAll(() => till.stop());
  afterEach(() => jest.restoreAllMocks());

  const away = new PaymentProcessorError('It is away.', true);
  const end = ({ userId }: Principal) => till.get(Subscriptions).endFor(userId);
  const set = ({ id }: SubscriptionRow, what: string) =>
    till.sql(`UPDATE subscriptions SET ${what} WHERE id = $1`, [id]);
  const statusesOf = async (viewer: Principal) => (await till.subscriptionsOf(viewer)).map(({ status }) => status);
  const books = ({ id }: SubscriptionRow) =>
    till.sql<{ email: string; invoices: number; portals: number }>(
      `SELECT c.email, (SELECT count(*)::int FROM billing_test_portals p WHERE p.customer_id = c.id) AS portals,
         (SELECT count(*)::int FROM billing_test_invoices i WHERE i.subscription_id = o.processor_subscription_id) AS invoices
       FROM subscriptions o JOIN billing_test_customers c ON c.id = o.processor_customer_id WHERE o.id = $1`,
      [id],
    );
  const pageStatus = async (id: string) => (await till.processor.readCheckout(id))!.status;
  const subscriptionStatus = async ({ id }: SubscriptionRow) => {
    const { processorSubscriptionId } = await till.row(id);
    return (await till.processor.readSubscription(processorSubscriptionId!))!.status;
  };
  const untold = async <T>(work: () => Promise<T>): Promise<T> => {
    const telling = jest.spyOn(till.get(SubscriptionSync), 'sync').mockRejectedValue(away);
    try {
      return await work();
    } finally {
      telling.mockRestore();
    }
  };

  describe('end with it', () => {
    it('what it pays for, that of its organisation too, and for the reason', async () => {
      const viewer = await till.person();
      const own = await till.buy(viewer);
      await till.moveTo(viewer, await till.organization());
      const shared = await till.buy(viewer, { planCode: 'pro' });
      const asked = jest.spyOn(till.processor, 'cancelSubscription');
      await end(viewer);
      expect(await statusesOf(viewer)).toEqual(['canceled', 'canceled']);
      expect(asked.mock.calls).toEqual(
        [own, shared].map(({ id, processorSubscriptionId }) => [
          processorSubscriptionId,
          { reason: 'The account was deleted.', idempotencyKey: `cancel-${id}` },
        ]),
      );
      await end(viewer);
      expect(asked).toHaveBeenCalledTimes(2);
    });

    it('what it pays for, though nobody knows the page any more on which it was bought', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer);
      await set(row, `processor_checkout_id = 'tcs_forgotten'`);
      await end(viewer);
      expect(await statusesOf(viewer)).toEqual(['canceled']);
      expect(await subscriptionStatus(row)).toBe('canceled');
    });

    it('nothing that is somebody else’s', async () => {
      const [viewer, other] = [await till.person(), await till.person()];
      await till.buy(other);
      await end(viewer);
      expect(await statusesOf(other)).toEqual(['active']);
    });

    it('an order, at the processor', async () => {
      const viewer = await till.person();
      const { id } = await till.order(viewer);
      await untold(() => end(viewer));
      expect([await pageStatus(id), ...(await statusesOf(viewer))]).toEqual(['expired', 'incomplete_expired']);
    });

    it('an order that has no page, or one that the processor does not know', async () => {
      const asked = jest.spyOn(till.processor, 'expireCheckout');
      for (const page of ['NULL', `'tcs_lost'`]) {
        const viewer = await till.person();
        await till.order(viewer);
        await set((await till.subscriptionsOf(viewer))[0]!, `processor_checkout_id = ${page}`);
        await end(viewer);
        expect(await statusesOf(viewer)).toEqual(['incomplete_expired']);
      }
      expect(asked.mock.calls).toEqual([['tcs_lost']]);
    });

    it('an order that got another page meanwhile', async () => {
      const viewer = await till.person();
      const { id } = await till.order(viewer);
      const row = (await till.subscriptionsOf(viewer))[0]!;
      await set(row, `processor_checkout_id = 'tcs_former'`);
      jest.spyOn(till.processor, 'expireCheckout').mockImplementationOnce(async () => {
        await set(row, `processor_checkout_id = '${id}'`);
        return null;
      });
      await end(viewer);
      expect([await pageStatus(id), ...(await statusesOf(viewer))]).toEqual(['expired', 'incomplete_expired']);
    });

    it('an order that was paid a moment ago', async () => {
      const viewer = await till.person();
      const { id } = await till.order(viewer);
      await untold(() => till.payer.pay(id));
      expect(await statusesOf(viewer)).toEqual(['incomplete']);
      const asked = jest.spyOn(till.processor, 'cancelSubscription');
      await end(viewer);
      const [row] = await till.subscriptionsOf(viewer);
      expect(row!.status).toBe('canceled');
      expect(await subscriptionStatus(row!)).toBe('canceled');
      expect(asked).toHaveBeenCalledTimes(1);
    });

    it('what another processor took the payments for, here alone', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer);
      await till.moveTo(viewer, await till.organization());
      await till.order(viewer, { planCode: 'pro' });
      await till.sql(`UPDATE subscriptions SET processor = 'stripe' WHERE owner_user_id = $1`, [viewer.userId]);
      const asked = [
        jest.spyOn(till.processor, 'cancelSubscription'),
        jest.spyOn(till.processor, 'expireCheckout'),
      ] as const;
      await end(viewer);
      expect(await statusesOf(viewer)).toEqual(['canceled', 'incomplete_expired']);
      expect(asked.map((spy) => spy.mock.calls.length)).toEqual([0, 0]);
      expect(await subscriptionStatus(row)).toBe('active');
    });

    it('what is over, but still to be given back', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer);
      await set(row, `status = 'incomplete_expired', give_back = 'due'`);
      await end(viewer);
      expect(await till.row(row.id)).toMatchObject({ status: 'incomplete_expired', giveBack: 'done' });
      expect(await till.processor.listInvoices(row.processorSubscriptionId!)).toMatchObject([{ status: 'refunded' }]);
    });

    it.each(['canceled', 'incomplete_expired', null])('not what is over meanwhile (%s)', async (status) => {
      const viewer = await till.person();
      await till.buy(viewer);
      await till.moveTo(viewer, await till.organization());
      const later = await till.buy(viewer, { planCode: 'pro' });
      const { processor } = till;
      const cancel = processor.cancelSubscription.bind(processor);
      const asked = jest.spyOn(processor, 'cancelSubscription').mockImplementationOnce(async (id, options) => {
        if (status === null) await till.sql('DELETE FROM subscriptions WHERE id = $1', [later.id]);
        else await set(later, `status = '${status}'`);
        return cancel(id, options);
      });
      await end(viewer);
      expect(asked).toHaveBeenCalledTimes(1);
      expect(await statusesOf(viewer)).toEqual(['canceled', ...(status === null ? [] : [status])]);
    });

    it('later, when an order is paid whose subscription the processor is still making', async () => {
      const viewer = await till.person(await till.organization());
      const { id } = await till.order(viewer, { planCode: 'pro' });
      await untold(() => till.payer.pay(id));
      const paid = (await till.processor.readCheckout(id))!;
      const early = { ...paid, subscriptionId: null };
      jest.spyOn(till.processor, 'expireCheckout').mockResolvedValueOnce(early);
      jest.spyOn(till.processor, 'readCheckout').mockResolvedValueOnce(early);
      await expect(end(viewer)).rejects.toMatchObject({ name: 'PaymentProcessorError', isTransient: true });
      await end(viewer);
      const [row] = await till.subscriptionsOf(viewer);
      expect([row!.status, await subscriptionStatus(row!)]).toEqual(['canceled', 'canceled']);
    });

    it('what the processor does not know any more, once an operator says so', async () => {
      const viewer = await till.person();
      const organization = await till.organization();
      await till.moveTo(viewer, organization);
      const row = await till.buy(viewer, { planCode: 'pro' });
      const sync = till.get(SubscriptionSync);
      await expect(sync.endUnknown(row.id, 'terminal')).rejects.toThrow('cancel it there');
      await expect(sync.endUnknown('no id')).rejects.toThrow('There is no subscription "no id".');
      await till.sql('DELETE FROM billing_test_invoices WHERE subscription_id = $1', [row.processorSubscriptionId]);
      await till.sql('DELETE FROM billing_test_subscriptions WHERE id = $1', [row.processorSubscriptionId]);
      await expect(end(viewer)).rejects.toMatchObject({
        message: `The subscription ${row.id} does not end: There is no such subscription.`,
        isTransient: false,
      });
      expect(await statusesOf(viewer)).toEqual(['active']);
      await sync.endUnknown(row.id, 'terminal');
      const { canceledAt } = await till.row(row.id);
      expect(canceledAt).toEqual(expect.any(Number));
      expect(await till.sql('SELECT plan_seats FROM organizations WHERE id = $1', [organization])).toEqual([
        { plan_seats: null },
      ]);
      const [logged] = await till.sql<{ details: object }>(
        `SELECT event->'personal'->'details' AS details FROM audit_inbox
         WHERE event->'personal'->>'target' = $1 AND event->>'action' = 'subscription.canceled'`,
        [`subscription:${row.id}`],
      );
      expect(logged?.details).toMatchObject({ status: 'canceled', by: 'terminal' });
      await end(viewer);
      await sync.endUnknown(row.id);
      expect(await till.row(row.id)).toMatchObject({ status: 'canceled', canceledAt, giveBack: 'none' });
    });

    it('nothing that is to be given back, when there is nobody to ask any more', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer);
      await till.sql(`UPDATE subscriptions SET processor = 'stripe' WHERE owner_user_id = $1`, [viewer.userId]);
      await set(row, `status = 'incomplete_expired', give_back = 'due'`);
      await end(viewer);
      expect(await till.row(row.id)).toMatchObject({
        status: 'incomplete_expired',
        giveBack: 'none',
        canceledAt: null,
      });
    });

    it('who paid is forgotten there, but for whom somebody else goes on paying', async () => {
      const [viewer, other] = [await till.person(), await till.person()];
      await till.buy(viewer);
      await till.moveTo(viewer, await till.organization());
      const shared = await till.buy(viewer, { planCode: 'pro' });
      const forgotten = jest.spyOn(till.processor, 'forgetCustomer');
      const moved = await till.buy(other);
      await set(moved, `owner_user_id = ${viewer.userId}, status = 'canceled'`);
      await set(shared, `owner_user_id = ${other.userId}`);
      await end(viewer);
      expect(forgotten.mock.calls.flat()).not.toContain(shared.processorCustomerId);
      expect(forgotten.mock.calls.flat()).toContain(moved.processorCustomerId);
      const [kept, gone] = [await books(shared), await books(moved)];
      expect([kept[0]!.email, gone[0]!.email]).toEqual([viewer.email, '']);
    });

    it('who paid has no portal any more, for those either who own the organisation now', async () => {
      const organization = await till.organization();
      const [viewer, other] = [await till.person(), await till.person()];
      for (const one of [viewer, other]) await till.moveTo(one, organization);
      await till.buy(viewer, { planCode: 'pro' });
      const opened = () => till.get(BillingHistory).openPortal(other);
      expect(await opened()).toMatchObject({ url: expect.any(String) as string });
      await end(viewer);
      await expect(opened()).rejects.toMatchObject({ code: 'no_active_subscription' });
    });

    it('later, when the processor is away', async () => {
      const viewer = await till.person();
      await till.buy(viewer);
      jest.spyOn(till.processor, 'cancelSubscription').mockRejectedValueOnce(away);
      await expect(end(viewer)).rejects.toMatchObject({ name: away.name, isTransient: true });
      expect(await statusesOf(viewer)).toEqual(['active']);
      await end(viewer);
      expect(await statusesOf(viewer)).toEqual(['canceled']);
    });
  });

  describe('as data that it owns', () => {
    let owned: OwnedSubscriptions;
    let registry: ErasureRegistry;
    beforeEach(() => {
      registry = new ErasureRegistry();
      owned = new OwnedSubscriptions(till.database.dataSource, registry, till.get(Subscriptions));
    });

    const erase = ({ userId }: Principal) => till.database.dataSource.transaction((tx) => owned.deleteSome(userId, tx));
    async function exported({ userId }: Principal) {
      const files: [string, unknown][] = [];
      for await (const { path, content } of owned.exportFor(userId)) files.push([path, JSON.parse(content as string)]);
      return Object.fromEntries(files) as Record<string, Record<string, unknown>[]>;
    }

    it('end before anything else of it is gone, and are all that billing keeps', async () => {
      owned.onModuleInit();
      registry.register({ name: 'a thing', tables: [], order: 11, countFor: async () => 0, deleteSome: async () => 0 });
      expect(registry.list().map(({ name }) => name)).toEqual(['subscription', 'a thing']);
      const tables = await till.sql<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.tables
         WHERE table_schema = 'public' AND (table_name = 'subscriptions' OR table_name LIKE 'billing\\_%')`,
      );
      expect([...owned.tables].toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
    });

    it('say of each column whether people get it', async () => {
      expect(owned.columns).toHaveLength(2);
      for (const { table, exported: given, withheld } of owned.columns) {
        const columns = await till.sql<{ name: string }>(
          'SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1',
          [table],
        );
        const said = [...given, ...Object.keys(withheld)];
        expect(said.toSorted()).toEqual(columns.map(({ name }) => name).toSorted());
      }
    });

    it('are ended and kept as books are, without the person', async () => {
      const [viewer, other] = [await till.person(), await till.person()];
      const [row, others] = [await till.buy(viewer), await till.buy(other)];
      for (const { processorCustomerId } of [row, others])
        await till.processor.openPortal(processorCustomerId!, { returnUrl: '' });
      for (const one of [row, others]) await set(one, `cancel_reason = 'Ada said so.'`);
      expect(await owned.countFor(viewer.userId)).toBe(1);
      expect(await erase(viewer)).toBe(0);
      expect(await till.row(row.id)).toMatchObject({ status: 'canceled', cancelReason: null });
      expect(await books(row)).toEqual([{ email: '', invoices: 1, portals: 0 }]);
      expect(await till.row(others.id)).toMatchObject({ status: 'active', cancelReason: 'Ada said so.' });
      expect(await books(others)).toEqual([{ email: other.email, invoices: 1, portals: 1 }]);
      expect(await owned.countFor((await till.person()).userId)).toBe(0);
    });

    it('are given to it as a copy, with their invoices', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer, { couponCode: 'HALF' });
      const files = await exported(viewer);
      expect(Object.keys(files)).toEqual(['subscriptions.json', 'invoices.json']);
      expect(files['subscriptions.json']).toEqual([
        expect.objectContaining({ id: row.id, status: 'active', plan_code: 'starter', coupon_code: 'HALF' }),
      ]);
      expect(files['invoices.json']).toEqual([
        {
          number: expect.stringMatching(/^TEST-/) as string,
          status: 'paid',
          description: 'Starter, 1 seat, monthly',
          plan_code: 'starter',
          period: 'monthly',
          seats: 1,
          amount: 1450,
          currency: 'EUR',
          coupon_code: 'HALF',
          period_start: expect.any(String) as string,
          period_end: expect.any(String) as string,
          created_at: expect.any(String) as string,
          paid_at: expect.any(String) as string,
        },
      ]);
    });

    it('are a copy that people can read, the oldest invoice first', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer);
      await till.payer.advance(till.portalOf(row), row.processorSubscriptionId!);
      await till.sql(
        `UPDATE billing_test_invoices SET created_at = now() - interval '1 month', amount = 1 WHERE subscription_id = $1
         AND period_start < now() + interval '1 day'`,
        [row.processorSubscriptionId],
      );
      const texts: string[] = [];
      for await (const { content } of owned.exportFor(viewer.userId)) texts.push(content as string);
      for (const text of texts) expect(text).toMatch(/^\[\n  \{\n    "/);
      expect((JSON.parse(texts[1]!) as { amount: number }[]).map(({ amount }) => amount)).toEqual([1, 2900]);
    });

    it('are no file for who never bought, and no invoices for who never paid', async () => {
      const viewer = await till.person();
      expect(await exported(viewer)).toEqual({});
      await till.order(viewer);
      expect(Object.keys(await exported(viewer))).toEqual(['subscriptions.json']);
    });
  });
});
