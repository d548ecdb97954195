import type { Principal } from '@app/auth';
import { Checkouts, SubscriptionSweeper, SubscriptionSync, TestEvents, TestPayer } from '@app/billing';
import { newId } from '@app/common';
import { findLiveSubscription } from '@app/entitlements';
import { PaymentProcessor, PaymentProcessorError, type ProcessorSubscription } from '@app/integrations';
import { LiveBus } from '@app/live';
import { Messages } from '@app/messages';
import { BillingApp, NotedTasks, type SoldRow } from '../support/billing-app.js';
import { PRO } from '../support/payment-processor-contract.js';

type Paid = Awaited<ReturnType<BillingApp['paid']>>;

const DAY = 86_400_000;

let billing: BillingApp;
let processor: PaymentProcessor;
let payer: TestPayer;
let sync: SubscriptionSync;

beforeAll(async () => {
  billing = await BillingApp.start();
  [processor, payer, sync] = [billing.get(PaymentProcessor), billing.get(TestPayer), billing.get(SubscriptionSync)];
});
afterAll(() => billing.stop());

const sql = <T = unknown>(text: string, values: unknown[] = []) => billing.sql<T>(text, values);
const statusOf = async (viewer: Principal) => (await billing.rowOf(viewer)).status;
const actionsOf = async (id: string) => (await billing.audited(id)).map(({ action }) => action);
const templatesOf = async (viewer: Principal) => (await billing.mailsOf(viewer)).map(({ template }) => template);
const change = (subscription: string, to: object) =>
  processor.changeSubscription(subscription, { ...PRO, idempotencyKey: newId(), ...to });
const STARTER = { planCode: 'starter', planName: 'Starter', seats: 1 };

/** Something happens at the processor of which nobody is told. */
async function untold(work: () => Promise<unknown>): Promise<void> {
  const events = billing.get(TestEvents) as unknown as { deliver: unknown };
  const { deliver } = events;
  events.deliver = null;
  try {
    await work();
  } finally {
    events.deliver = deliver;
  }
}

const toldOf = (id: string) =>
  sql<{ object_id: string; handled: boolean }>(
    'SELECT object_id, handled_at IS NOT NULL AS handled FROM payment_events WHERE object_id = $1',
    [id],
  );
const isDue = async (id: string) =>
  (await sql('SELECT FROM payment_objects WHERE id = $1 AND next_attempt_at IS NOT NULL', [id])).length > 0;

/** An order that is open. */
async function ordered(viewer: Principal, more: object = {}): Promise<SoldRow & { checkout: string }> {
  const { id } = await billing.order(viewer, more);
  return { ...(await billing.rowOf(viewer)), checkout: id };
}

const fails = async ({ portal, subscription }: Paid, times: number) => {
  await payer.setDeclines(portal, true);
  for (let time = 0; time < times; time += 1) await payer.advance(portal, subscription);
  await payer.setDeclines(portal, false);
};

const pays = ({ portal, subscription }: Paid) => payer.payOpen(portal, subscription);

const canceled = async (subscription: string, reference: string) => ({
  ...(await processor.readSubscription(subscription))!,
  reference,
  status: 'canceled' as const,
});

const seatsOf = async (organizationId: number) =>
  (
    await sql<{ seats: number | null }>('SELECT plan_seats AS seats FROM organizations WHERE id = $1', [organizationId])
  )[0]!.seats;

const pushes = async (work: () => Promise<unknown>) => {
  const pushed = jest.spyOn(billing.get(LiveBus), 'invalidate');
  await work();
  const { calls } = pushed.mock;
  pushed.mockRestore();
  return calls;
};

/** Closed here while somebody paid there. */
async function late() {
  const viewer = await billing.person();
  const { id, checkout } = await ordered(viewer);
  await sql(`UPDATE subscriptions SET status = 'incomplete_expired' WHERE id = $1`, [id]);
  await untold(() => payer.pay(checkout));
  return { viewer, id, checkout };
}

const overdue = (id: string) =>
  sql(
    `UPDATE subscriptions SET checkout_expires_at = now() - interval '1 second', updated_at = now() - interval '1 minute'
     WHERE id = $1`,
    [id],
  );

/** At a processor of which some answers are others. */
const sweeper = (over: Partial<PaymentProcessor> = {}, tasks = new NotedTasks()) => {
  const at = billing.processorBut(over);
  const checkouts = new Proxy(billing.get(Checkouts), {
    get: (target, name) => (name === 'processor' ? at : Reflect.get(target, name)),
  });
  return new SubscriptionSweeper(
    billing.database.dataSource,
    at,
    checkouts,
    billing.syncOver(over),
    billing.get(Messages),
    tasks as never,
    7,
  );
};

const trial = async (days: number) => {
  const viewer = await billing.person();
  const { id } = await billing.paid(viewer, { planCode: 'trial' });
  const end = new Date(Date.now() + days * DAY);
  await sql('UPDATE subscriptions SET trial_end = $2 WHERE id = $1', [id, end]);
  return { viewer, id, end };
};

const tell = () => billing.turn('trials that end');

describe('a subscription follows its processor', () => {
  it.each<[string, object, (paid: Paid) => Promise<unknown>, [string, string[], string[]]]>([
    ['it is paid', {}, async () => undefined, ['active', [], []]],
    ['a trial begins', { planCode: 'trial' }, async () => undefined, ['trialing', [], []]],
    [
      'a trial ends',
      { planCode: 'trial' },
      ({ portal, subscription }) => payer.advance(portal, subscription),
      ['active', ['subscription.trial_ended'], []],
    ],
    ['it is renewed', {}, ({ portal, subscription }) => payer.advance(portal, subscription), ['active', [], []]],
    [
      'a payment fails',
      {},
      (paid) => fails(paid, 2),
      ['past_due', ['subscription.payment_failed'], ['payment-failed']],
    ],
    [
      'the payment comes late',
      {},
      async (paid) => {
        await fails(paid, 1);
        await pays(paid);
      },
      ['active', ['subscription.payment_failed', 'subscription.payment_recovered'], ['payment-failed']],
    ],
    [
      'no payment is tried any more',
      {},
      (paid) => fails(paid, 4),
      ['unpaid', ['subscription.payment_failed', 'subscription.expired'], ['payment-failed', 'plan-unpaid']],
    ],
    [
      'it is cancelled there',
      {},
      ({ subscription }) => processor.cancelSubscription(subscription, { idempotencyKey: 'x' }),
      ['canceled', ['subscription.canceled'], ['plan-canceled']],
    ],
    [
      'its plan is changed there',
      {},
      ({ subscription }) => change(subscription, { planCode: 'trial', planName: 'Tried', period: 'yearly', seats: 2 }),
      ['active', ['subscription.changed'], []],
    ],
  ])('when %s', async (_what, order, happens, [status, actions, templates]) => {
    const viewer = await billing.person();
    const paid = await billing.paid(viewer, order);
    await happens(paid);
    const said = (await processor.readSubscription(paid.subscription))!;
    const row = await billing.rowOf(viewer);
    expect(row).toEqual({
      id: paid.id,
      status,
      plan_code: said.planCode,
      billing_period: said.period,
      seats: said.seats,
      give_back: 'none',
      organization_id: null,
      customer: said.customerId,
      subscription: said.id,
      checkout: paid.checkout,
      checkout_url: null,
      trial_end: said.trialEnd === null ? null : new Date(said.trialEnd),
      current_period_end: new Date(said.currentPeriodEnd!),
      canceled_at: said.canceledAt === null ? null : new Date(said.canceledAt),
    });
    expect([row.status, await actionsOf(row.id), await templatesOf(viewer)]).toEqual([
      said.status,
      ['subscription.checkout_opened', 'subscription.started', ...actions],
      templates,
    ]);
    // Looked at again, nothing more is told.
    expect(await sync.syncRow(row.id)).toBe('synced');
    expect([await actionsOf(row.id), await templatesOf(viewer)]).toEqual([
      ['subscription.checkout_opened', 'subscription.started', ...actions],
      templates,
    ]);
  });

  it('tells the log what it is then, and who did it', async () => {
    const organizationId = await billing.organization();
    const viewer = await billing.person(organizationId);
    const { id, subscription } = await billing.paid(viewer, { planCode: 'pro', seats: 2 });
    await untold(() => change(subscription, { seats: 4 }));
    expect(await sync.syncRow(id, { userId: viewer.userId, username: viewer.username })).toBe('synced');
    const of = { plan_code: 'pro', billing_period: 'monthly', organization_id: organizationId, status: 'active' };
    expect((await billing.audited(id)).slice(1)).toEqual([
      { action: 'subscription.started', actor: null, details: { ...of, seats: 2 } },
      { action: 'subscription.changed', actor: viewer.username, details: { ...of, seats: 4 } },
    ]);
  });

  it('mails in the language of the owner, and says which plan it is', async () => {
    const viewer = await billing.person();
    await sql(`UPDATE users SET language = 'ar' WHERE id = $1`, [viewer.userId]);
    const { portal, subscription } = await billing.paid(viewer);
    await payer.setDeclines(portal, true);
    await payer.advance(portal, subscription);
    expect(await billing.mailsOf(viewer)).toEqual([
      {
        channel: 'mail',
        template: 'payment-failed',
        language: 'ar',
        recipient: viewer.email,
        params: { name: 'Ada', plan: 'Starter' },
      },
    ]);
  });

  it('hands the mail over at once', async () => {
    const publish = jest.spyOn(billing.get(Messages), 'publish');
    const viewer = await billing.person();
    const { subscription } = await billing.paid(viewer);
    publish.mockClear();
    await processor.cancelSubscription(subscription, { idempotencyKey: 'x' });
    expect(publish.mock.calls.flat()).toHaveLength(1);
    publish.mockRestore();
  });

  it.each([
    ['has no address', `UPDATE users SET email = '' WHERE id = $1`],
    ['is gone', `UPDATE subscriptions SET owner_user_id = NULL WHERE owner_user_id = $1`],
  ])('mails nobody where the owner %s', async (_what, statement) => {
    const viewer = await billing.person();
    const { id, subscription } = await billing.paid(viewer);
    await sql(statement, [viewer.userId]);
    await processor.cancelSubscription(subscription, { idempotencyKey: 'x' });
    expect(await sql('SELECT status FROM subscriptions WHERE id = $1', [id])).toEqual([{ status: 'canceled' }]);
    expect(await billing.mailsOf(viewer)).toEqual([]);
    expect((await actionsOf(id)).at(-1)).toBe('subscription.canceled');
  });

  it('ends an order whose page closed unpaid, and tells nobody but the log', async () => {
    const viewer = await billing.person();
    const { id, checkout, checkout_url } = await ordered(viewer);
    expect(await sync.sync({ kind: 'checkout', id: checkout })).toBe('synced');
    expect(await billing.rowOf(viewer)).toMatchObject({ status: 'incomplete', checkout_url });
    await processor.expireCheckout(checkout);
    expect(await billing.rowOf(viewer)).toMatchObject({ status: 'incomplete_expired', checkout_url: null });
    expect(await actionsOf(id)).toEqual(['subscription.checkout_opened', 'subscription.checkout_expired']);
    expect(await billing.mailsOf(viewer)).toEqual([]);
  });

  it('knows the customer as soon as the page does, and waits for what is paid but not there yet', async () => {
    const viewer = await billing.person();
    const { id, checkout } = await ordered(viewer);
    for (const status of ['open', 'complete'] as const) {
      const over = billing.syncOver({
        readCheckout: async () => ({
          id: checkout,
          reference: id,
          status,
          customerId: `tcus_${status}`,
          subscriptionId: status === 'open' ? 'tsub_early' : null,
        }),
      });
      expect(await over.sync({ kind: 'checkout', id: checkout })).toBe('synced');
      expect(await billing.rowOf(viewer)).toMatchObject({ status: 'incomplete', customer: `tcus_${status}` });
    }
  });

  it.each([
    ['checkout', 'knows nothing'],
    ['checkout', 'knows the other'],
    ['subscription', 'knows nothing'],
    ['subscription', 'knows the other'],
  ] as const)('finds its row by the %s, where the row %s', async (kind, knows) => {
    const viewer = await billing.person();
    const { id, checkout } = await ordered(viewer);
    await untold(() => payer.pay(checkout));
    const { subscriptionId } = (await processor.readCheckout(checkout))!;
    const other = knows === 'knows the other';
    await sql('UPDATE subscriptions SET processor_checkout_id = $2, processor_subscription_id = $3 WHERE id = $1', [
      id,
      kind === 'subscription' && other ? checkout : null,
      kind === 'checkout' && other ? subscriptionId : null,
    ]);
    expect(await sync.sync({ kind, id: kind === 'checkout' ? checkout : subscriptionId! })).toBe('synced');
    expect(await billing.rowOf(viewer)).toMatchObject({ status: 'active', subscription: subscriptionId });
  });

  describe('by the events of the test processor', () => {
    it('which are stored and worked off as those of others are', async () => {
      const { subscription, checkout } = await billing.paid(await billing.person());
      for (const id of [checkout!, subscription]) {
        expect(await toldOf(id)).toEqual([{ object_id: id, handled: true }]);
        expect(await isDue(id)).toBe(false);
      }
    });

    it('at once, though a worker is just at it', async () => {
      const viewer = await billing.person();
      const { subscription } = await billing.paid(viewer);
      await sql(
        `UPDATE payment_objects SET next_attempt_at = now(), leased_until = now() + interval '1 minute' WHERE id = $1`,
        [subscription],
      );
      await processor.cancelSubscription(subscription, { idempotencyKey: 'x' });
      expect(await statusOf(viewer)).toBe('canceled');
      expect(await toldOf(subscription)).toContainEqual({ object_id: subscription, handled: false });
      expect(await isDue(subscription)).toBe(true);
    });
  });

  it('is not written by a view that is out of date, though it comes later', async () => {
    const viewer = await billing.person();
    const { subscription, portal } = await billing.paid(viewer);
    const held = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    const slow = billing.syncOver({
      readSubscription: async (id: string): Promise<ProcessorSubscription | null> => {
        const state = await processor.readSubscription(id);
        read.resolve();
        await held.promise;
        return state;
      },
    });
    const late = slow.sync({ kind: 'subscription', id: subscription });
    await read.promise;
    await payer.setDeclines(portal, true);
    await payer.advance(portal, subscription);
    expect(await statusOf(viewer)).toBe('past_due');
    const pushed = jest.spyOn(billing.get(LiveBus), 'invalidate');
    held.resolve();
    expect(await late).toBe('synced');
    expect(await statusOf(viewer)).toBe('past_due');
    expect(await templatesOf(viewer)).toEqual(['payment-failed']);
    expect(pushed).not.toHaveBeenCalled();
    pushed.mockRestore();
  });

  it('is let go when its row goes while the processor is asked', async () => {
    const viewer = await billing.person();
    const { id, subscription } = await billing.paid(viewer);
    const over = billing.syncOver({
      readSubscription: async (of: string) => {
        await sql('DELETE FROM subscriptions WHERE id = $1', [id]);
        return processor.readSubscription(of);
      },
    });
    expect(await over.sync({ kind: 'subscription', id: subscription })).toBe('synced');
    expect(await sync.syncRow(id)).toBe('not_ours');
    expect(await sync.sync({ kind: 'subscription', id: subscription })).toBe('not_ours');
  });

  describe('is not that of an object', () => {
    it('that the processor does not know', async () => {
      for (const kind of ['checkout', 'subscription'] as const)
        expect(await sync.sync({ kind, id: `${kind}_nothing` })).toBe('not_ours');
      const viewer = await billing.person();
      const { id } = await billing.paid(viewer);
      for (const [of, page] of [
        ['tsub_gone', null],
        [null, 'tcs_gone'],
        [null, null],
      ]) {
        await sql('UPDATE subscriptions SET processor_subscription_id = $2, processor_checkout_id = $3 WHERE id = $1', [
          id,
          of,
          page,
        ]);
        expect(await sync.syncRow(id)).toBe('not_ours');
      }
      const silent = billing.syncOver({ readCheckout: () => Promise.reject(new Error('It is asked for nothing.')) });
      expect(await silent.syncRow(id)).toBe('not_ours');
      expect(await statusOf(viewer)).toBe('active');
    });

    it('that names another shop, or a row that is not there', async () => {
      const { subscription } = await billing.paid(await billing.person());
      for (const reference of ['a shop of somebody else', newId()]) {
        const over = billing.syncOver({ readSubscription: () => canceled(subscription, reference) });
        expect(await over.sync({ kind: 'subscription', id: 'tsub_elsewhere' })).toBe('not_ours');
      }
    });

    it('that claims a row which has another', async () => {
      const viewer = await billing.person();
      const { id, subscription } = await billing.paid(viewer);
      const over = billing.syncOver({
        readSubscription: () => canceled(subscription, id),
        readCheckout: async (checkout) => ({
          id: checkout,
          reference: id,
          status: 'expired',
          customerId: null,
          subscriptionId: null,
        }),
      });
      for (const kind of ['checkout', 'subscription'] as const)
        expect(await over.sync({ kind, id: 'forged' })).toBe('not_ours');
      expect(await statusOf(viewer)).toBe('active');
    });

    it.each(['readCheckout', 'readSubscription'] as const)(
      'that turns out to be of another row when it is read (%s)',
      async (read) => {
        const viewer = await billing.person();
        const { id, checkout } = await ordered(viewer);
        await untold(() => payer.pay(checkout));
        const over = billing.syncOver({
          [read]: async (of: string) => ({ ...(await processor[read](of)), reference: newId() }),
        });
        expect(await over.syncRow(id)).toBe('not_ours');
        expect(await statusOf(viewer)).toBe('incomplete');
      },
    );

    it('of another processor', async () => {
      const viewer = await billing.person();
      const { id, subscription } = await billing.paid(viewer);
      await sql(`UPDATE subscriptions SET processor = 'stripe' WHERE id = $1`, [id]);
      await processor.cancelSubscription(subscription, { idempotencyKey: 'x' });
      expect(await sync.syncRow(id)).toBe('not_ours');
      expect(await statusOf(viewer)).toBe('active');
    });
  });
});

describe('the pool of a subscription', () => {
  it('has the seats that were paid for, as long as it is live', async () => {
    const organizationId = await billing.organization();
    const owner = await billing.person(organizationId);
    const { subscription, portal } = await billing.paid(owner, { planCode: 'pro', seats: 3 });
    expect(await seatsOf(organizationId)).toBe(3);
    await change(subscription, { seats: 5 });
    expect(await seatsOf(organizationId)).toBe(5);
    await payer.setDeclines(portal, true);
    for (let time = 0; time < 4; time += 1) await payer.advance(portal, subscription);
    expect([await statusOf(owner), await seatsOf(organizationId)]).toEqual(['unpaid', 5]);
    await processor.cancelSubscription(subscription, { idempotencyKey: 'x' });
    expect(await seatsOf(organizationId)).toBeNull();
  });

  it('has none of an order that is not paid, and loses none when the page of one closes', async () => {
    const organizationId = await billing.organization();
    const owner = await billing.person(organizationId);
    const { checkout } = await ordered(owner, { planCode: 'pro', seats: 3 });
    await sync.sync({ kind: 'checkout', id: checkout });
    expect(await seatsOf(organizationId)).toBeNull();
    await sql('UPDATE organizations SET plan_seats = 7 WHERE id = $1', [organizationId]);
    await processor.expireCheckout(checkout);
    expect([await statusOf(owner), await seatsOf(organizationId)]).toEqual(['incomplete_expired', 7]);
  });

  it('hears that its limits may be others', async () => {
    const organizationId = await billing.organization();
    const [alone, owner] = [await billing.person(), await billing.person(organizationId)];
    const { checkout } = await ordered(alone);
    await untold(() => payer.pay(checkout));
    expect(await pushes(() => sync.sync({ kind: 'checkout', id: checkout }))).toEqual([
      ['entitlements', { userId: alone.userId }],
    ]);
    const { id } = await billing.paid(owner, { planCode: 'pro', seats: 3 });
    expect(await pushes(() => sync.syncRow(id))).toEqual([['entitlements', { organizationId }]]);
  });

  it('is that of the organisation once its owner changes to a plan for one, and their own again with another', async () => {
    const owner = await billing.person();
    const { id, subscription } = await billing.paid(owner);
    const organizationId = await billing.organization();
    await sql('UPDATE users SET organization_id = $2 WHERE id = $1', [owner.userId, organizationId]);
    const both = [
      ['entitlements', { userId: owner.userId }],
      ['entitlements', { organizationId }],
    ];
    await untold(() => change(subscription, { planCode: 'pro', seats: 4 }));
    expect(await pushes(() => sync.syncRow(id))).toEqual(both);
    expect(await billing.rowOf(owner)).toMatchObject({ plan_code: 'pro', organization_id: organizationId, seats: 4 });
    expect(await seatsOf(organizationId)).toBe(4);
    expect((await billing.audited(id)).at(-1)).toMatchObject({ details: { organization_id: organizationId } });
    await untold(() => change(subscription, STARTER));
    expect(await pushes(() => sync.syncRow(id))).toEqual(both.toReversed());
    expect(await billing.rowOf(owner)).toMatchObject({ plan_code: 'starter', organization_id: null });
    expect(await seatsOf(organizationId)).toBeNull();
  });

  it.each<[string, (owner: Principal, organizationId: number) => Promise<unknown>, string]>([
    [
      'who changes is no owner',
      (owner) => sql(`UPDATE users SET organization_role = 'admin' WHERE id = $1`, [owner.userId]),
      'pro',
    ],
    [
      'they have no organisation',
      (owner) => sql('UPDATE users SET organization_id = NULL WHERE id = $1', [owner.userId]),
      'pro',
    ],
    [
      'it is theirs alone',
      (_, organizationId) => sql('UPDATE organizations SET personal = true WHERE id = $1', [organizationId]),
      'pro',
    ],
    [
      'the other pool is full',
      async (_, organizationId) => billing.paid(await billing.person(organizationId), { planCode: 'pro', seats: 3 }),
      'pro',
    ],
    ['the plan is for the same kind', async () => undefined, 'trial'],
    ['nobody knows the plan', async () => undefined, 'unheard-of'],
    [
      'it was sold as a plan for one, which the file has made one for all',
      (owner) =>
        sql(
          `UPDATE subscriptions SET plan_code = 'pro', plan = jsonb_set(plan, '{code}', '"pro"') WHERE owner_user_id = $1`,
          [owner.userId],
        ),
      'pro',
    ],
  ])('stays where it is when %s', async (_what, prepare, planCode) => {
    const owner = await billing.person();
    const { id, subscription } = await billing.paid(owner);
    const organizationId = await billing.organization();
    await sql('UPDATE users SET organization_id = $2 WHERE id = $1', [owner.userId, organizationId]);
    await prepare(owner, organizationId);
    const seats = await seatsOf(organizationId);
    await untold(() => change(subscription, { planCode, seats: 6 }));
    expect(await pushes(() => sync.syncRow(id))).toEqual([['entitlements', { userId: owner.userId }]]);
    expect(await billing.rowOf(owner)).toMatchObject({ organization_id: null, status: 'active', seats: 6 });
    expect(await seatsOf(organizationId)).toBe(seats);
  });

  it('stays that of the organisation when who bought it is gone', async () => {
    const organizationId = await billing.organization();
    const owner = await billing.person(organizationId);
    const { id, subscription } = await billing.paid(owner, { planCode: 'pro', seats: 3 });
    await sql('UPDATE subscriptions SET owner_user_id = NULL WHERE id = $1', [id]);
    await change(subscription, STARTER);
    expect(await sql('SELECT organization_id AS of FROM subscriptions WHERE id = $1', [id])).toEqual([
      { of: organizationId },
    ]);
  });
});

describe('what was paid in vain', () => {
  it('is cancelled and given back, and told of', async () => {
    const { viewer, id, checkout } = await late();
    expect(await sync.sync({ kind: 'checkout', id: checkout })).toBe('synced');
    const row = await billing.rowOf(viewer);
    expect(row).toMatchObject({ status: 'incomplete_expired', give_back: 'done', canceled_at: expect.any(Date) });
    expect(await processor.readSubscription(row.subscription!)).toMatchObject({ status: 'canceled' });
    expect((await processor.listInvoices(row.subscription!)).map(({ status }) => status)).toEqual(['refunded']);
    expect(await findLiveSubscription(billing.database.dataSource.manager, viewer)).toBeNull();
    expect((await actionsOf(id)).slice(1)).toEqual(['subscription.given_back']);
    expect(await billing.mailsOf(viewer)).toMatchObject([
      { template: 'payment-given-back', params: { name: 'Ada', plan: 'Starter' } },
    ]);
  });

  it('is the second of one pool, and the first stays', async () => {
    const organizationId = await billing.organization();
    const owner = await billing.person(organizationId);
    const { id: first, checkout } = await ordered(owner, { planCode: 'pro', seats: 2 });
    // As if it had slipped past the check of the other.
    const second = newId();
    await sql(
      `INSERT INTO subscriptions (id, owner_user_id, organization_id, status, plan_code, plan, billing_period, seats, processor, processor_checkout_id)
       SELECT $1::uuid, owner_user_id, organization_id, status, plan_code, plan, billing_period, 9, processor, 'tcs_' || $1::text
       FROM subscriptions WHERE id = $2`,
      [second, first],
    );
    await sql(
      `INSERT INTO billing_test_checkouts (id, idempotency_key, reference, ordered, email, expires_at)
       SELECT 'tcs_' || $1::text, $1::text, $1::text, ordered, email, expires_at FROM billing_test_checkouts WHERE id = $2`,
      [second, checkout],
    );
    await payer.pay(checkout);
    await payer.pay(`tcs_${second}`);
    const [kept, back] = await billing.rowsOf(owner);
    expect(kept).toMatchObject({ id: first, status: 'active', give_back: 'none' });
    expect(back).toMatchObject({ id: second, status: 'canceled', give_back: 'done' });
    expect(await actionsOf(second)).toEqual(['subscription.given_back']);
    expect(await sql('SELECT plan_seats AS seats FROM organizations WHERE id = $1', [organizationId])).toEqual([
      { seats: 2 },
    ]);
  });

  it('was bought for an account that is gone', async () => {
    const viewer = await billing.person();
    const { id, checkout } = await ordered(viewer);
    await sql('UPDATE subscriptions SET owner_user_id = NULL WHERE id = $1', [id]);
    await payer.pay(checkout);
    expect(await sql('SELECT status, give_back FROM subscriptions WHERE id = $1', [id])).toEqual([
      { status: 'canceled', give_back: 'done' },
    ]);
  });

  it.each(['cancelSubscription', 'listInvoices', 'refundInvoice'] as const)(
    'is given back though a process ended at %s',
    async (place) => {
      const { viewer, id, checkout } = await late();
      const dead = billing.syncOver({ [place]: () => Promise.reject(new PaymentProcessorError('It is away.', true)) });
      await untold(() => expect(dead.sync({ kind: 'checkout', id: checkout })).rejects.toThrow('It is away.'));
      expect(await billing.rowOf(viewer)).toMatchObject({ status: 'incomplete_expired', give_back: 'due' });
      await sql(`UPDATE subscriptions SET updated_at = now() - interval '1 minute' WHERE id = $1`, [id]);
      await billing.turn('open orders of plans');
      const after = await billing.rowOf(viewer);
      expect(after).toMatchObject({ status: 'incomplete_expired', give_back: 'done' });
      expect(await processor.readSubscription(after.subscription!)).toMatchObject({ status: 'canceled' });
      expect((await processor.listInvoices(after.subscription!)).map(({ status }) => status)).toEqual(['refunded']);
      expect(await findLiveSubscription(billing.database.dataSource.manager, viewer)).toBeNull();
    },
  );

  it('is asked for with keys of its own, and only where it was paid', async () => {
    const { id, checkout } = await late();
    const asked: unknown[] = [];
    const over = billing.syncOver({
      cancelSubscription: (of, { reason, idempotencyKey }) => {
        asked.push([idempotencyKey, reason]);
        return processor.cancelSubscription(of, { idempotencyKey });
      },
      listInvoices: async (of) => {
        const [paid] = await processor.listInvoices(of);
        return (['open', 'failed', 'paid', 'void', 'refunded'] as const).map((status) => ({
          ...paid!,
          id: status,
          status,
        }));
      },
      refundInvoice: async (of, { idempotencyKey }) => void asked.push([of, idempotencyKey]),
    });
    expect(await over.sync({ kind: 'checkout', id: checkout })).toBe('synced');
    expect(asked).toEqual([
      [`give-back-${id}`, 'It was paid for while another one was there, or after its order was closed.'],
      ['paid', `give-back-${id}-paid`],
    ]);
  });

  it('is nobody else’s when its row goes meanwhile', async () => {
    const { id, checkout } = await late();
    const over = billing.syncOver({
      cancelSubscription: async (of, options) => {
        await sql('DELETE FROM subscriptions WHERE id = $1', [id]);
        return processor.cancelSubscription(of, options);
      },
    });
    expect(await over.sync({ kind: 'checkout', id: checkout })).toBe('not_ours');
  });
});

describe('what nobody asks for', () => {
  it('is done from time to time, trials less often, and never where nothing is sold', async () => {
    const [ours, none] = [new NotedTasks(), new NotedTasks()];
    sweeper({}, ours).onModuleInit();
    sweeper({ kind: 'none' }, none).onModuleInit();
    expect(none.all).toEqual([]);
    expect(ours.all.map(({ name, seconds }) => [name, seconds])).toEqual([
      ['open orders of plans', 7],
      ['trials that end', 140],
    ]);
    const [late, tried] = [await billing.person(), await billing.person()];
    await overdue((await ordered(late)).id);
    await billing.paid(tried, { planCode: 'trial' });
    await sql('UPDATE subscriptions SET trial_end = now() WHERE owner_user_id = $1', [tried.userId]);
    for (const { work } of ours.all) await work();
    expect(await statusOf(late)).toBe('incomplete_expired');
    expect(await templatesOf(tried)).toEqual(['trial-ends']);
  });

  it('ends orders whose time is over, and leaves those alone whose page is open or that somebody just looked at', async () => {
    const [over, open, looked] = [await billing.person(), await billing.person(), await billing.person()];
    const [first, second, third] = [await ordered(over), await ordered(open), await ordered(looked)];
    await overdue(first.id);
    await sql(`UPDATE subscriptions SET updated_at = now() - interval '1 minute' WHERE id = $1`, [second.id]);
    await sql(`UPDATE subscriptions SET checkout_expires_at = now() - interval '1 second' WHERE id = $1`, [third.id]);
    await billing.turn('open orders of plans');
    expect([await statusOf(over), await statusOf(open), await statusOf(looked)]).toEqual([
      'incomplete_expired',
      'incomplete',
      'incomplete',
    ]);
    expect(await processor.readCheckout(first.checkout)).toMatchObject({ status: 'expired' });
  });

  it('takes what was paid at the last moment', async () => {
    const viewer = await billing.person();
    const { id, checkout } = await ordered(viewer);
    await untold(() => payer.pay(checkout));
    await overdue(id);
    await billing.turn('open orders of plans');
    expect(await statusOf(viewer)).toBe('active');
  });

  it('is done for the others though it goes wrong for one, and for each by one process', async () => {
    const [bad, good] = [await billing.person(), await billing.person()];
    const [first, second] = [await ordered(bad), await ordered(good)];
    await overdue(first.id);
    await overdue(second.id);
    await sql(`UPDATE subscriptions SET updated_at = now() - interval '2 minutes' WHERE id = $1`, [first.id]);
    const asked: string[] = [];
    const ill = sweeper({
      expireCheckout: (id) => {
        asked.push(id);
        return id === first.checkout
          ? Promise.reject(new PaymentProcessorError('It is away.', true))
          : processor.expireCheckout(id);
      },
    });
    await Promise.all([ill.sweep(), ill.sweep()]);
    expect(asked.toSorted()).toEqual([first.checkout, second.checkout].toSorted());
    expect([await statusOf(bad), await statusOf(good)]).toEqual(['incomplete', 'incomplete_expired']);
  });

  it('is left alone when it ended by itself meanwhile', async () => {
    const [one, other] = [await ordered(await billing.person()), await ordered(await billing.person())];
    await overdue(one.id);
    await overdue(other.id);
    const asked: string[] = [];
    await sweeper({
      expireCheckout: async (id) => {
        asked.push(id);
        await sql(`UPDATE subscriptions SET status = 'incomplete_expired' WHERE id = ANY ($1)`, [[one.id, other.id]]);
        return null;
      },
    }).sweep();
    expect(asked).toHaveLength(1);
  });

  describe('of trials', () => {
    it('is a mail three days before the end, once, in the language of the owner', async () => {
      const [soon, later] = [await trial(2.9), await trial(3.1)];
      await sql(`UPDATE users SET language = 'ar' WHERE id = $1`, [soon.viewer.userId]);
      const publish = jest.spyOn(billing.get(Messages), 'publish');
      await Promise.all([tell(), tell()]);
      await tell();
      expect(publish.mock.calls.flat()).toHaveLength(1);
      publish.mockRestore();
      expect(await billing.mailsOf(soon.viewer)).toEqual([
        {
          channel: 'mail',
          template: 'trial-ends',
          language: 'ar',
          recipient: soon.viewer.email,
          params: { name: 'Ada', plan: 'Tried', date: soon.end.toISOString().slice(0, 10) },
        },
      ]);
      expect(await billing.mailsOf(later.viewer)).toEqual([]);
    });

    it('goes on to the next where there is nobody to tell', async () => {
      const [gone, there] = [await trial(1), await trial(1)];
      await sql('UPDATE subscriptions SET owner_user_id = NULL WHERE id = $1', [gone.id]);
      await tell();
      expect(await templatesOf(there.viewer)).toEqual(['trial-ends']);
    });
  });
});
