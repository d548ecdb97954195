import {
  PaymentEventIntake,
  PaymentEventRetention,
  PaymentObjectReader,
  paymentObjectWork,
  Reconcile,
  type SubscriptionSync,
} from '@app/billing';
import { SystemClock } from '@app/common';
import { PaymentProcessor, PaymentProcessorError } from '@app/integrations';
import { Outbox } from '@app/queues';
import { WorkClaims, WorkPerformer } from '@app/work';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { Payments } from '../support/payments.js';

const age = (days: number) => `now() - interval '${days} days'`;

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

  /** The same intake, of a processor that is another in a part. */
  const intakeOf = (over: Partial<PaymentProcessor>) => {
    const { app } = payments;
    const processor = Object.assign(Object.create(app.get(PaymentProcessor)) as PaymentProcessor, over);
    return new PaymentEventIntake(
      app.get(DataSource),
      app.get(WorkClaims),
      app.get(Outbox),
      new SystemClock(),
      processor,
    );
  };

  /** Has an object read, with something that happens meanwhile. @returns what the reader says where it goes wrong */
  const perform = async (key: readonly string[], happens: () => Promise<unknown>, signal?: AbortSignal) => {
    const { app } = payments;
    const sync = { sync: happens } as unknown as SubscriptionSync;
    const reader = new PaymentObjectReader(app.get(DataSource), app.get(WorkClaims), app.get(PaymentProcessor), sync);
    let said: unknown = null;
    await app.get(WorkPerformer).perform(paymentObjectWork, key, (claim, given) =>
      reader.read(claim, signal ?? given).catch((error: unknown) => {
        said = error;
        throw error;
      }),
    );
    return said;
  };

  const objectRow = async () =>
    (
      await sql<{ due: boolean; attempts: number; error: string }>(
        'SELECT next_attempt_at IS NOT NULL AS due, attempts, last_error AS error FROM payment_objects',
      )
    )[0]!;

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

  it('still change the row that an object belongs to when somebody took our notes off it', async () => {
    const { id, told, subscriptionId } = await paid();
    for (const event of told) await payments.deliver(event);
    await payments.work();
    const from = payments.stripe.account.events.length;
    const subscription = payments.stripe.account.subscriptions.get(subscriptionId)!;
    subscription.metadata = {};
    payments.stripe.account.cancel(subscription, null);
    for (const event of events(from)) await payments.deliver(event);
    await payments.work();
    expect(await statusOf(id)).toBe('canceled');
  });

  it('of an object that names no row and that no row names are passed over', async () => {
    const { id, told, subscriptionId } = await paid();
    payments.stripe.account.subscriptions.get(subscriptionId)!.metadata = {};
    for (const event of told.filter(({ type }) => !type.startsWith('checkout'))) await payments.deliver(event);
    await payments.work();
    expect(await statusOf(id)).toBe('incomplete');
    expect(await open()).toBe(0);
  });

  it('have given back what comes in by debit days after it was to be given back', async () => {
    const { account } = payments.stripe;
    account.debits = true;
    const { id, told } = await paid();
    account.debits = false;
    await sql(`UPDATE subscriptions SET status = 'incomplete_expired' WHERE id = $1`, [id]);
    for (const event of told) await payments.deliver(event);
    await payments.work();
    const givenBack = () => sql('SELECT status, give_back FROM subscriptions WHERE id = $1', [id]);
    expect(await givenBack()).toEqual([{ status: 'incomplete_expired', give_back: 'done' }]);
    expect(account.refunds.size).toBe(0);
    const from = account.events.length;
    account.clear(true);
    for (let time = 0; time < 2; time += 1) {
      for (const event of events(from)) await payments.deliver(event);
      await payments.work();
      expect(account.refunds.size).toBe(1);
    }
    expect(await givenBack()).toEqual([{ status: 'incomplete_expired', give_back: 'done' }]);
    const mails = await sql<{ template: string }>('SELECT template FROM outgoing_messages');
    expect(mails).toEqual([{ template: 'payment-given-back' }]);
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
    expect(await perform(['test', 'subscription', 'x'], async () => undefined)).toMatchObject({
      name: 'GiveUpError',
      code: 'other_processor',
    });
    expect(await sql('SELECT last_error FROM payment_objects')).toEqual([
      { last_error: 'This deployment takes its payments by stripe.' },
    ]);
    expect(reads()).toBe(0);
  });

  it('say when, and of what; one that is of no object asks for nothing', async () => {
    const { told, checkoutId } = await paid();
    const event = told.find(({ body }) => body.includes(checkoutId))!;
    const publish = jest.spyOn(payments.app.get(Outbox), 'publishSoon');
    await payments.deliver(event);
    await payments.deliver(event);
    await payments.deliver({ body: JSON.stringify({ id: 'evt_x', created: 17, type: 'x', data: { object: {} } }) });
    expect(publish.mock.calls.map(([receipts]) => receipts.length)).toEqual([1]);
    publish.mockRestore();
    const { created, type } = JSON.parse(event.body) as { created: number; type: string };
    const stored = await sql<object>(
      `SELECT event_id, type, object_kind, object_id, extract(epoch FROM created_at)::float8 AS created,
         handled_at IS NOT NULL AS handled FROM payment_events ORDER BY event_id = 'evt_x'`,
    );
    expect(stored).toEqual([
      { event_id: event.id, type, object_kind: 'checkout', object_id: checkoutId, created, handled: false },
      { event_id: 'evt_x', type: 'x', object_kind: null, object_id: null, created: 17, handled: true },
    ]);
    expect(await payments.dueKeys()).toEqual([['stripe', 'checkout', checkoutId]]);
  });

  describe('are refused', () => {
    const body = Buffer.from(JSON.stringify({ id: 'evt_y', created: 1, type: 'x', data: { object: {} } }));
    const signature = () => payments.stripe.sign({ body: body.toString() });
    const header = 'stripe-signature';
    it.each<[string, () => [Buffer | undefined, Record<string, string | string[] | undefined>]]>([
      ['without a body', () => [undefined, { [header]: signature() }]],
      ['without a signature', () => [body, {}]],
      ['with two of them', () => [body, { [header]: [signature(), signature()] }]],
      ['with that of another body', () => [Buffer.from('{}'), { [header]: signature() }]],
      ['with a word for one', () => [body, { [header]: 'x' }]],
      ['with one that is longer than any', () => [body, { [header]: `${signature()},v0=`.padEnd(4097, 'x') }]],
    ])('%s', async (_what, given) => {
      await expect(payments.app.get(PaymentEventIntake).take(...given())).rejects.toMatchObject({
        name: 'InvalidRequestError',
        code: 'invalid_signature',
        message: 'The event was not signed by the processor, or not lately.',
      });
      expect(await sql('SELECT FROM payment_events')).toEqual([]);
    });

    it('but not with a long one that is good', async () => {
      const headers = { [header]: `${signature()},v0=`.padEnd(4096, 'x') };
      await payments.app.get(PaymentEventIntake).take(body, headers);
      expect(await sql('SELECT event_id FROM payment_events')).toEqual([{ event_id: 'evt_y' }]);
    });

    it('where nothing is sold', async () => {
      await expect(intakeOf({ kind: 'none' }).take(body, { [header]: signature() })).rejects.toMatchObject({
        name: 'NotFoundError',
        code: 'billing_not_available',
        message: 'Nothing is sold on this deployment.',
      });
    });

    it('for no fault of theirs when something else goes wrong', async () => {
      const broken = intakeOf({
        verifyEvent: () => {
          throw new TypeError('It broke.');
        },
      });
      await expect(broken.take(body, { [header]: signature() })).rejects.toThrow(TypeError);
    });
  });

  describe('of an object that is being read', () => {
    it('have it read anew', async () => {
      const { id, subscriptionId, told } = await paid();
      for (const event of told) await payments.deliver(event);
      await payments.work();
      payments.stripe.account.renew(subscriptionId, 'failed');
      const [first, second] = events(-2);
      await payments.deliver(first!);
      const [key] = await payments.dueKeys();
      await perform(key!, () => payments.deliver(second!));
      expect(await payments.dueKeys()).toEqual([key]);
      expect(await sql('SELECT event_id FROM payment_events WHERE handled_at IS NULL')).toEqual([
        { event_id: second!.id },
      ]);
      await payments.work();
      expect([await statusOf(id), await open(), await payments.dueKeys()]).toEqual(['past_due', 0, []]);
    });

    it('are handled with it, and those of others are not', async () => {
      const [one, other] = [await paid(), await paid()];
      for (const event of [...one.told, ...other.told]) await payments.deliver(event);
      await sql(`UPDATE payment_objects SET read_at = now() - interval '1 hour'`);
      const before = await open();
      await perform(['stripe', 'subscription', one.subscriptionId], async () => undefined);
      const handled = await sql<{ id: string }>(
        'SELECT object_id AS id FROM payment_events WHERE handled_at IS NOT NULL',
      );
      expect(new Set(handled.map(({ id }) => id))).toEqual(new Set([one.subscriptionId]));
      expect(await open()).toBe(before - handled.length);
      expect(await sql(`SELECT id FROM payment_objects WHERE read_at > now() - interval '1 minute'`)).toEqual([
        { id: one.subscriptionId },
      ]);
    });

    it.each([
      [
        'goes on later when the processor is away',
        new PaymentProcessorError('It is away.', true),
        true,
        'TryAgainError',
      ],
      ['gives up what it refuses', new PaymentProcessorError('It is not there.', false), false, 'GiveUpError'],
      ['goes on later after a mistake of its own', new Error('It broke.'), true, 'Error'],
    ])('%s', async (_what, error, due, name) => {
      const { told } = await paid();
      await payments.deliver(told[0]!);
      const [key] = await payments.dueKeys();
      const code = error instanceof PaymentProcessorError ? { code: 'payment_processor_error' } : {};
      const { message } = error;
      expect(await perform(key!, () => Promise.reject(error))).toMatchObject({ name, message, ...code });
      expect(await objectRow()).toMatchObject({ due, error: message });
      expect(await open()).toBe(1);
    });

    it('is not begun by a process that stops', async () => {
      const { told } = await paid();
      await payments.deliver(told[0]!);
      const [key] = await payments.dueKeys();
      let begun = false;
      await perform(key!, async () => (begun = true), AbortSignal.abort());
      expect([begun, await open()]).toEqual([false, 1]);
    });
  });

  it('stay due when they are asked for in their turn, too', async () => {
    const { told, subscriptionId } = await paid();
    for (const event of told) await payments.deliver(event);
    await sql(`UPDATE subscriptions SET processor_subscription_id = $1, reconciled_at = now() - interval '2 days'`, [
      subscriptionId,
    ]);
    const due = await payments.dueKeys();
    expect(await payments.app.get(Reconcile).sweep()).toBe(1);
    expect(await payments.dueKeys()).toEqual(due);
  });

  it('are kept as long as they may come again, those that were never handled longer, and objects that are waited for', async () => {
    for (const [id, received, handled] of [
      ['lately', 29, 29],
      ['gone', 31, 31],
      ['late', 100, 29],
      ['open', 89, null],
      ['never', 91, null],
    ] as const)
      await sql(
        `INSERT INTO payment_events (processor, event_id, type, created_at, received_at, handled_at)
         VALUES ('stripe', $1, 'x', now(), ${age(received)}, ${handled === null ? 'NULL' : age(handled)})`,
        [id],
      );
    await sql(
      `INSERT INTO payment_objects (processor, kind, id, next_attempt_at, read_at)
       VALUES ('stripe', 'checkout', 'lately', NULL, ${age(29)}), ('stripe', 'checkout', 'gone', NULL, ${age(31)}),
         ('stripe', 'checkout', 'due', now(), ${age(31)})`,
    );
    await payments.app.get(PaymentEventRetention).sweep();
    expect(await sql('SELECT event_id AS id FROM payment_events ORDER BY 1')).toEqual(
      ['late', 'lately', 'open'].map((id) => ({ id })),
    );
    expect(await sql('SELECT id FROM payment_objects ORDER BY 1')).toEqual(['due', 'lately'].map((id) => ({ id })));
  });
});
