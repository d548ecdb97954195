import { PaymentEventRetention, Reconcile, SubscriptionSweeper } from '@app/billing';
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

  it('make our row say what the processor says', async () => {
    const { id, told } = await paid();
    for (const event of told) await payments.deliver(event);
    expect(await statusOf(id)).toBe('incomplete');
    await payments.work();
    expect(await statusOf(id)).toBe('active');
    expect(await open()).toBe(0);
    expect(await payments.dueKeys()).toEqual([]);
  });

  it('are stored once, however often and however much at once they come', async () => {
    const { told } = await paid();
    await Promise.all(Array.from({ length: 5 }, () => payments.deliver(told[0]!)));
    await payments.work();
    const before = reads();
    await payments.deliver(told[0]!);
    await payments.work();
    expect(reads()).toBe(before);
    expect(await sql('SELECT event_id FROM payment_events')).toHaveLength(1);
  });

  it('are kept without what they say', async () => {
    const { told } = await paid({ email: 'ada@acme.example' });
    for (const event of told) await payments.deliver(event);
    const kept = JSON.stringify(await sql('SELECT e.*, o.* FROM payment_events e, payment_objects o'));
    expect(told.map(({ body }) => body).join('')).toContain('ada@acme.example');
    expect(kept).not.toContain('acme');
  });

  it('of an object that is not ours are stored, and passed over', async () => {
    const { account } = payments.stripe;
    const { told, subscriptionId } = await paid();
    await sql('TRUNCATE subscriptions');
    for (const event of told) await payments.deliver(event);
    account.subscriptions.delete(subscriptionId);
    await payments.deliver({ body: JSON.stringify({ id: 'evt_x', created: 1, type: 'x', data: { object: {} } }) });
    await payments.work();
    expect(await open()).toBe(0);
    expect(await sql('SELECT FROM payment_events')).toHaveLength(told.length + 1);
    expect(await sql(`SELECT FROM payment_objects WHERE next_attempt_at IS NOT NULL OR last_error <> ''`)).toEqual([]);
  });

  it('of an object that names the row of somebody else change nothing there', async () => {
    const mine = await paid();
    for (const event of mine.told) await payments.deliver(event);
    await payments.work();
    const other = await paid();
    const foreign = payments.stripe.account.subscriptions.get(other.subscriptionId)!;
    foreign.metadata = { ...foreign.metadata, reference: mine.id };
    payments.stripe.account.renew(other.subscriptionId, 'given up');
    for (const event of events(-1)) await payments.deliver(event);
    await payments.work();
    expect(await statusOf(mine.id)).toBe('active');
  });

  it('wait for a processor that is away, longer each time, and are not forgotten', async () => {
    const { id, told } = await paid();
    for (const event of told) await payments.deliver(event);
    const waits: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      // One that the SDK does not repeat by itself.
      payments.stripe.fail({ status: 429 });
      const [key] = await payments.dueKeys();
      await payments.perform(key!);
      payments.stripe.recover();
      const [row] = await sql<{ waits: number; error: string }>(
        `SELECT extract(epoch FROM next_attempt_at - now())::float8 AS waits, last_error AS error
         FROM payment_objects WHERE id = $1`,
        [key![2]],
      );
      expect(row!.error).toMatch(/^Stripe answered 429/);
      waits.push(row!.waits);
      await payments.wait();
    }
    expect(waits.slice(0, 5)).toEqual(waits.slice(0, 5).toSorted((a, b) => a - b));
    expect(waits[0]!).toBeLessThan(7);
    expect(waits[3]!).toBeGreaterThan(400);
    expect(waits[5]!).toBeLessThan(4400);
    await payments.work();
    expect(await statusOf(id)).toBe('active');
    expect(await open()).toBe(0);
  });

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

  it('that are lost are made up for within a day', async () => {
    const { id, subscriptionId } = await paid();
    const reconcile = payments.app.get(Reconcile);
    expect(await reconcile.sweep(0)).toBe(0);
    await sql(`UPDATE subscriptions SET reconciled_at = now() - interval '25 hours'`);
    expect(await reconcile.sweep(0)).toBe(1);
    await payments.work();
    expect(await statusOf(id)).toBe('active');
    payments.stripe.account.cancel(payments.stripe.account.subscriptions.get(subscriptionId)!, null);
    expect(await reconcile.sweep(0)).toBe(0);
    await sql(`UPDATE subscriptions SET reconciled_at = now() - interval '25 hours'`);
    expect(await reconcile.sweep(0)).toBe(1);
    await payments.work();
    expect(await statusOf(id)).toBe('canceled');
    await sql(`UPDATE subscriptions SET reconciled_at = now() - interval '25 hours'`);
    expect(await reconcile.sweep(0)).toBe(0);
  });

  it('are asked for in turns: so many at once, those that wait longest first, spread over the time', async () => {
    const ids: string[] = [];
    for (let age = 1; age <= 5; age += 1) {
      const { id, subscriptionId } = await paid();
      ids.push(subscriptionId);
      await sql(
        `UPDATE subscriptions SET processor_subscription_id = $2, reconciled_at = now() - make_interval(days => $3) WHERE id = $1`,
        [id, subscriptionId, 1 + age],
      );
    }
    const reconcile = payments.app.get(Reconcile);
    expect(await reconcile.sweep(300, 2)).toBe(2);
    const asked = await sql<{ id: string; late: number }>(
      `SELECT id, extract(epoch FROM next_attempt_at - now())::float8 AS late FROM payment_objects`,
    );
    expect(new Set(asked.map(({ id }) => id))).toEqual(new Set(ids.slice(-2)));
    for (const { late } of asked) expect(late).toBeLessThan(301);
    expect(await payments.dueKeys()).toEqual([]);
    // Two processes that sweep at once share them.
    const swept = await Promise.all([reconcile.sweep(300, 2), reconcile.sweep(300, 2)]);
    expect(swept[0] + swept[1]).toBe(3);
    expect(await sql('SELECT FROM payment_objects')).toHaveLength(5);
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

  it('are forgotten after a while, once they were handled', async () => {
    const { told } = await paid();
    for (const event of told) await payments.deliver(event);
    const retention = payments.app.get(PaymentEventRetention);
    await retention.sweep();
    expect(await sql('SELECT FROM payment_events')).toHaveLength(told.length);
    await payments.work();
    await sql(`UPDATE payment_events SET handled_at = now() - interval '31 days' WHERE event_id = $1`, [told[0]!.id]);
    await sql(`UPDATE payment_objects SET read_at = now() - interval '31 days'`);
    await retention.sweep();
    expect(await sql('SELECT FROM payment_events')).toHaveLength(told.length - 1);
    expect(await sql('SELECT FROM payment_objects')).toEqual([]);
  });

  it('leave alone what another processor told of', async () => {
    await sql(`INSERT INTO payment_objects (processor, kind, id) VALUES ('test', 'subscription', 'x')`);
    await payments.work();
    expect(await sql('SELECT last_error FROM payment_objects')).toEqual([
      { last_error: 'This deployment takes its payments by stripe.' },
    ]);
    expect(reads()).toBe(0);
  });

  describe('trials', () => {
    it('are told of three days before they end, once, in the language of the owner', async () => {
      const { userId } = await trial(3);
      await trial(4);
      await sql(`UPDATE users SET language = 'ar' WHERE id = $1`, [userId]);
      await Promise.all([tell(), tell()]);
      await tell();
      expect(await mails()).toEqual([{ template: 'trial-ends', language: 'ar' }]);
    });

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
