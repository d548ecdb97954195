import { Reconcile, SubscriptionSweeper } from '@app/billing';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { Payments } from '../support/payments.js';

describe('events of the payment processor', () => {
  let database: TestDatabase;
  let payments: Payments;
  beforeAll(async () => {
    database = await createTestDatabase();
    payments = await Payments.start(database);
  });
  afterAll(async () => {
    await payments.stop();
    await database.drop();
  });
  beforeEach(async () => {
    await sql('TRUNCATE subscriptions, payment_events, payment_objects, outgoing_messages');
    payments.stripe.calls.length = 0;
    payments.stripe.delayMs = 0;
  });

  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T[]>(text, values);
  const statusOf = async (id: string) =>
    (await sql<{ status: string }>('SELECT status FROM subscriptions WHERE id = $1', [id]))[0]!.status;
  const open = async () =>
    (await sql<{ count: number }>('SELECT count(*)::int FROM payment_events WHERE handled_at IS NULL'))[0]!.count;
  const events = (from = 0) => payments.stripe.account.events.slice(from);
  const reads = () => payments.stripe.calls.filter(({ method }) => method === 'GET').length;

  async function paid(given = {}) {
    const ordered = await payments.order(given);
    const from = payments.stripe.account.events.length;
    payments.stripe.account.pay(ordered.checkoutId);
    const { subscription } = payments.stripe.account.sessions.get(ordered.checkoutId)!;
    return { ...ordered, subscriptionId: subscription as string, told: events(from) };
  }

  const mails = () => sql<{ template: string; language: string }>('SELECT template, language FROM outgoing_messages');
  const tell = () => payments.app.get(SubscriptionSweeper).tellOfTrials();
  async function trial(days: number) {
    const { id, userId, told } = await paid({ trialDays: days });
    for (const event of told) await payments.deliver(event);
    await payments.work();
    await sql('DELETE FROM outgoing_messages');
    return { id, userId };
  }

  it('are read anew when something happened while their object was read', async () => {
    const { id, subscriptionId, told } = await paid();
    for (const event of told) await payments.deliver(event);
    await payments.work();
    payments.stripe.account.renew(subscriptionId, 'failed');
    const [failed, pastDue] = events(-2);
    await payments.deliver(failed!);
    payments.stripe.delayMs = 150;
    const before = reads();
    const working = payments.work();
    await payments.stripe.called(before + 1);
    payments.stripe.account.settle(subscriptionId);
    for (const event of [pastDue!, ...events(-1)]) await payments.deliver(event);
    await working;
    expect(await payments.dueKeys()).toHaveLength(1);
    await payments.work();
    expect(await statusOf(id)).toBe('active');
    expect(await open()).toBe(0);
  });

  it('of one object are worked on by one at a time', async () => {
    const { told } = await paid();
    await payments.deliver(told[0]!);
    payments.stripe.delayMs = 30;
    const [key] = await payments.dueKeys();
    const begun = await Promise.all(Array.from({ length: 5 }, () => payments.perform(key!)));
    expect(begun.filter(Boolean)).toHaveLength(1);
  });

  it('are neither lost nor done twice by a death before any statement', async () => {
    for (let at = 0; ; at += 1) {
      const { id, told } = await paid();
      let died = await payments.mortal.dies(at, () => payments.deliver(told[0]!));
      // It is delivered again until it is taken.
      await payments.deliver(told[0]!);
      died = (await payments.mortal.dies(at, () => payments.work())) || died;
      await payments.wait();
      await payments.work();
      expect([at, await statusOf(id), await open()]).toEqual([at, 'active', 0]);
      expect(await payments.dueKeys()).toEqual([]);
      if (!died) break;
      expect(at).toBeLessThan(60);
    }
  });

  it('are asked for once by a sweep that dies, or by the next one', async () => {
    const reconcile = payments.app.get(Reconcile);
    for (let at = 0; ; at += 1) {
      await sql('TRUNCATE subscriptions, payment_objects');
      await paid();
      await sql(`UPDATE subscriptions SET reconciled_at = now() - interval '2 days'`);
      const died = await payments.mortal.dies(at, () => reconcile.sweep(0));
      await reconcile.sweep(0);
      expect([at, await sql('SELECT FROM payment_objects')]).toEqual([at, [{}]]);
      if (!died) break;
    }
  });

  describe('trials', () => {
    it('are told of once, whenever the sweep dies', async () => {
      for (let at = 0; ; at += 1) {
        await sql('TRUNCATE subscriptions, outgoing_messages');
        await trial(2);
        const died = await payments.mortal.dies(at, tell);
        await tell();
        expect([at, (await mails()).length]).toEqual([at, 1]);
        if (!died) break;
      }
    });
  });
});
