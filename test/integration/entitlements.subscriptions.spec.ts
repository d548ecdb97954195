import { newId } from '@app/common';
import type { AppConfig } from '@app/config';
import {
  beginReading,
  bringToOrganization,
  type BuyingPool,
  claimEndingTrials,
  closeOrder,
  countRedemptions,
  countSubscriptionsOf,
  findBoughtForOrganization,
  findCustomer,
  findLiveSubscription,
  findSubscriptionOf,
  findSubscriptionRow,
  forgetReasons,
  hadPlanBefore,
  insertOrder,
  isPoolFilled,
  keepCheckout,
  listCustomersOf,
  listForgettableCustomers,
  listExportedSubscriptions,
  listOpenOf,
  listPaid,
  listPoolsWith,
  listUnendedOf,
  listWaiting,
  lockPool,
  lockPools,
  lockSubscriptionRow,
  mayAsk,
  movePool,
  moveSubscriptionOwner,
  type NewOrder,
  noteCancelReason,
  type Plan,
  PlanCatalog,
  poolOf,
  type SubscriptionStatus,
  takeFromOrganization,
  takeUnreconciled,
  writeReading,
  type WrittenState,
} from '@app/entitlements';
import type { EntityManager } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { lockWaits } from '../support/lock-waits.js';
import { until } from '../support/until.js';

const DAY = 86_400_000;
/** Milliseconds in which a statement has begun. */
const SOON = 3000;
const LIVE = ['trialing', 'active', 'past_due', 'unpaid'] as const;
const OVER = ['incomplete_expired', 'canceled'] as const;
/** Whole seconds, so that nothing is lost on the way. */
const soon = (days: number) => Math.floor((Date.now() + days * DAY) / 1000) * 1000;
const as = (processorCustomerId: string) => ({ processorCustomerId });

describe('rows of subscriptions', () => {
  let starter: Plan;
  let pro: Plan;
  let database: TestDatabase;
  let db: EntityManager;
  let user: number;
  let other: number;
  let organizationId: number;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.dataSource.manager;
    const catalog = PlanCatalog.of({ kind: 'test' } as AppConfig['billing']);
    [starter, pro] = [catalog.find('starter')!, catalog.find('pro')!];
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await sql('DELETE FROM subscriptions');
    [user, other, organizationId] = [await createUserRow(database), await createUserRow(database), await shared()];
  });

  const sql = <T = unknown[]>(text: string, values: unknown[] = []) => database.dataSource.query<T>(text, values);
  const transaction = <T>(work: (tx: EntityManager) => Promise<T>) => database.dataSource.transaction(work);
  async function shared(): Promise<number> {
    const [{ id }] = await sql<[{ id: number }]>(`INSERT INTO organizations (name) VALUES ('Shared') RETURNING id`);
    return id;
  }

  async function ordered(more: Partial<NewOrder> = {}): Promise<string> {
    const order: NewOrder = {
      id: newId(),
      ownerUserId: user,
      organizationId: null,
      plan: starter,
      billingPeriod: 'monthly',
      seats: 1,
      couponCode: null,
      processor: 'test',
      customerId: null,
      expiresAt: soon(1),
      ...more,
    };
    await insertOrder(db, order);
    return order.id;
  }
  async function read(id: string, state: Partial<WrittenState> = {}): Promise<void> {
    const { reading } = (await beginReading(db, id))!;
    await writeReading(db, id, reading, {
      status: 'active',
      plan: starter,
      billingPeriod: 'monthly',
      seats: 1,
      processorCustomerId: null,
      processorSubscriptionId: `sub_${id}`,
      trialEnd: null,
      currentPeriodEnd: null,
      canceledAt: null,
      giveBack: 'none',
      ...state,
    });
  }
  /** An order that was paid, and is of that status by now. */
  async function paid(status: SubscriptionStatus, more: Partial<NewOrder> = {}, state: Partial<WrittenState> = {}) {
    const id = await ordered(more);
    await read(id, { status, ...state });
    return id;
  }
  const rowOf = async (id: string) => (await findSubscriptionRow(db, id))!;
  /** Whether this waits for another transaction. */
  const waits = (work: (tx: EntityManager) => Promise<unknown>) =>
    transaction(async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = '20ms'`);
      await work(tx);
    }).then(
      () => false,
      (error: Error) => /lock timeout/.test(error.message),
    );

  const organizationOf = async (id: string) => (await rowOf(id)).organizationId;
  const seatsOf = async () => {
    const [{ seats }] = await sql<[{ seats: number | null }]>(
      'SELECT plan_seats AS seats FROM organizations WHERE id = $1',
      [organizationId],
    );
    return seats;
  };
  const asked = (id: string, hoursAgo: number) =>
    sql(`UPDATE subscriptions SET reconciled_at = now() - make_interval(hours => $2) WHERE id = $1`, [id, hoursAgo]);
  const take = (limit = 10) => transaction((tx) => takeUnreconciled(tx, 'test', limit));
  const filled = (pool: BuyingPool, except: string) => transaction((tx) => isPoolFilled(tx, pool, except));
  const poolsWait = (...pools: (BuyingPool | null)[]) => waits((later) => lockPools(later, pools));
  const had = (buyer: number, pool: BuyingPool = { userId: buyer }) => hadPlanBefore(db, pool, buyer);
  const customer = (pool: BuyingPool, processor = 'test') => findCustomer(db, pool, processor);
  const listPaidOf = (of: number | null) => listPaid(db, { userId: user, organizationId: of, processor: 'test' });
  const claim = (limit = 10) => transaction((tx) => claimEndingTrials(tx, { withinDays: 3, limit }));

  describe('that are orders', () => {
    it('say what was ordered before there is a pay page', async () => {
      const expiresAt = soon(1);
      const before = Date.now();
      const id = await ordered({
        organizationId,
        plan: pro,
        billingPeriod: 'yearly',
        seats: 4,
        couponCode: 'HALF',
        customerId: 'cus_1',
        expiresAt,
      });
      const row = await rowOf(id);
      expect(row).toEqual({
        id,
        ownerUserId: user,
        organizationId,
        status: 'incomplete',
        plan: pro,
        billingPeriod: 'yearly',
        seats: 4,
        couponCode: 'HALF',
        processor: 'test',
        processorCustomerId: 'cus_1',
        processorSubscriptionId: null,
        processorCheckoutId: null,
        checkoutUrl: null,
        checkoutExpiresAt: expiresAt,
        trialEnd: null,
        currentPeriodEnd: null,
        canceledAt: null,
        cancelReason: null,
        createdAt: expect.any(Number),
        readWritten: 0,
        giveBack: 'none',
      });
      expect(Math.abs(row.createdAt - before)).toBeLessThan(5000);
      await sql('UPDATE subscriptions SET checkout_expires_at = NULL');
      expect(await rowOf(id)).toEqual({ ...row, checkoutExpiresAt: null });
      expect(await findSubscriptionRow(db, newId())).toBeNull();
    });

    it('keep their pay page as long as they wait for one', async () => {
      const id = await ordered();
      expect(await keepCheckout(db, id, { id: 'page', url: 'https://pay.example' })).toBe(true);
      expect(await rowOf(id)).toMatchObject({ processorCheckoutId: 'page', checkoutUrl: 'https://pay.example' });
      await read(id);
      expect(await keepCheckout(db, id, { id: 'late', url: 'https://late.example' })).toBe(false);
      expect(await rowOf(id)).toMatchObject({ processorCheckoutId: 'page', checkoutUrl: null });
    });

    it('are closed only with the pay page that whoever closes them knows, and unpaid', async () => {
      const id = await ordered();
      await keepCheckout(db, id, { id: 'page', url: 'https://pay.example' });
      expect(await closeOrder(db, id, null)).toBe(false);
      expect(await rowOf(id)).toMatchObject({ status: 'incomplete', checkoutUrl: 'https://pay.example' });
      expect(await closeOrder(db, id, 'page')).toBe(true);
      expect(await rowOf(id)).toMatchObject({ status: 'incomplete_expired', checkoutUrl: null });
      expect(await closeOrder(db, id, 'page')).toBe(false);
      expect(await closeOrder(db, await ordered(), null)).toBe(true);
      const wasPaid = await paid('active');
      expect(await closeOrder(db, wasPaid, null)).toBe(false);
      expect(await rowOf(wasPaid)).toMatchObject({ status: 'active' });
    });

    it('hold a coupon until they close unpaid or are given back, and are counted by one at a time', async () => {
      const count = (code = 'HALF') => transaction((tx) => countRedemptions(tx, code));
      const couponCode = 'HALF';
      expect(await count()).toBe(0);
      const closed = await ordered({ couponCode });
      await ordered({ couponCode });
      await paid('canceled', { couponCode });
      const doubled = await paid('canceled', { couponCode });
      await ordered({ couponCode: 'OTHER' });
      await ordered();
      expect([await count(), await count('OTHER')]).toEqual([4, 1]);
      await closeOrder(db, closed, null);
      await read(doubled, { status: 'canceled', giveBack: 'done' });
      expect(await count()).toBe(2);
      await transaction(async (tx) => {
        await countRedemptions(tx, 'HALF');
        expect(await waits((later) => countRedemptions(later, 'HALF'))).toBe(true);
        expect(await waits((later) => countRedemptions(later, 'OTHER'))).toBe(false);
      });
    });
  });

  describe('that were read', () => {
    it('are what the reading says, and keep what it does not name', async () => {
      const [trialEnd, currentPeriodEnd, canceledAt] = [soon(3), soon(30), soon(-1)];
      const id = await ordered({ customerId: 'cus_1' });
      await keepCheckout(db, id, { id: 'page', url: 'https://pay.example' });
      await read(id, { status: 'incomplete', processorSubscriptionId: null });
      expect(await rowOf(id)).toMatchObject({
        status: 'incomplete',
        processorCustomerId: 'cus_1',
        processorSubscriptionId: null,
        checkoutUrl: 'https://pay.example',
        readWritten: 1,
      });
      const state: WrittenState = {
        status: 'past_due',
        plan: pro,
        billingPeriod: 'yearly',
        seats: 7,
        processorCustomerId: 'cus_2',
        processorSubscriptionId: 'sub_2',
        trialEnd,
        currentPeriodEnd,
        canceledAt,
        giveBack: 'due',
      };
      await read(id, state);
      expect(await rowOf(id)).toMatchObject({ ...state, checkoutUrl: null, readWritten: 2 });
      expect(await sql('SELECT plan_code FROM subscriptions WHERE id = $1', [id])).toEqual([{ plan_code: 'pro' }]);
      await read(id, { processorCustomerId: null, processorSubscriptionId: null });
      expect(await rowOf(id)).toMatchObject({
        processorCustomerId: 'cus_2',
        processorSubscriptionId: 'sub_2',
        trialEnd: null,
        currentPeriodEnd: null,
        canceledAt: null,
        giveBack: 'none',
        readWritten: 3,
      });
    });

    it('take numbers before they are read, with the row as it was', async () => {
      const id = await paid('active');
      expect(await beginReading(db, id)).toEqual({ reading: 2, row: await rowOf(id) });
      expect(await beginReading(db, id)).toMatchObject({ reading: 3, row: { readWritten: 1 } });
      expect(await beginReading(db, newId())).toBeNull();
    });

    it('are found by what the processor calls them', async () => {
      const id = await ordered();
      await keepCheckout(db, id, { id: 'page', url: 'https://pay.example' });
      await read(id, { processorSubscriptionId: 'sub' });
      const find = (kind: 'checkout' | 'subscription', name: string) => findSubscriptionOf(db, { kind, id: name });
      expect([await find('checkout', 'page'), await find('subscription', 'sub')]).toEqual([id, id]);
      expect([await find('checkout', 'sub'), await find('subscription', 'page')]).toEqual([null, null]);
    });

    it('are asked for once within the time, whoever asks', async () => {
      const id = await paid('active');
      expect(await mayAsk(db, id, 60)).toBe(false);
      await sql(`UPDATE subscriptions SET updated_at = now() - interval '61 seconds'`);
      expect(await mayAsk(db, id, 60)).toBe(true);
      expect(await mayAsk(db, id, 60)).toBe(false);
    });

    it('are locked by whoever writes them', async () => {
      const id = await paid('active');
      await transaction(async (tx) => {
        expect(await lockSubscriptionRow(tx, id)).toEqual(await rowOf(id));
        expect(await waits((later) => lockSubscriptionRow(later, id))).toBe(true);
        expect(await lockSubscriptionRow(tx, newId())).toBeNull();
      });
    });

    it('that nobody asked for in a day are taken, those longest ago first, once', async () => {
      const page = await ordered();
      await keepCheckout(db, page, { id: 'page', url: 'https://pay.example' });
      await asked(page, 30);
      const pageless = await ordered();
      await asked(pageless, 30);
      const elsewhere = await paid('active', { ownerUserId: other, processor: 'stripe' });
      await asked(elsewhere, 30);
      for (const status of LIVE) {
        const id = await paid(
          status,
          { ownerUserId: await createUserRow(database) },
          { processorSubscriptionId: status },
        );
        await asked(id, 25 + LIVE.indexOf(status));
      }
      for (const status of OVER) await asked(await paid(status), 99);
      await asked(await paid('active'), 23);
      expect(await take(2)).toEqual(
        expect.arrayContaining([
          { kind: 'checkout', id: 'page' },
          { kind: 'subscription', id: 'unpaid' },
        ]),
      );
      expect((await take()).map(({ id }) => id).toSorted()).toEqual(['active', 'past_due', 'trialing']);
      expect(await take()).toEqual([]);
    });
  });

  describe('of a pool', () => {
    it('are those that are not over, the newest first', async () => {
      const own = { userId: user };
      const first = await paid('unpaid');
      const second = await ordered();
      for (const status of OVER) await paid(status);
      const bought = await paid('trialing', { organizationId });
      await paid('active', { ownerUserId: other });
      const ids = async (pool: BuyingPool) => (await listOpenOf(db, pool)).map(({ id }) => id);
      expect([await ids(own), await ids({ organizationId })]).toEqual([[second, first], [bought]]);
      expect(await listOpenOf(db, { organizationId })).toEqual([await rowOf(bought)]);
    });

    it.each([...LIVE, ...OVER, 'incomplete'] as const)('fill it, or not, where they are %s', async (status) => {
      const isLive = (LIVE as readonly string[]).includes(status);
      const id = await paid(status, { organizationId });
      expect(await filled({ organizationId }, newId())).toBe(isLive);
      expect(await filled({ organizationId }, id)).toBe(false);
      expect(await filled({ userId: user }, newId())).toBe(false);
      const live = await findLiveSubscription(db, { userId: user, organizationId });
      expect(live?.id ?? null).toBe(isLive ? id : null);
    });

    it('are the organisation’s, else one’s own', async () => {
      const [trialEnd, currentPeriodEnd] = [soon(3), soon(30)];
      const own = await paid('trialing', { seats: 1 }, { trialEnd, currentPeriodEnd });
      const bought = await paid('past_due', { ownerUserId: other, organizationId }, { plan: pro, seats: 5 });
      const find = (of: number | null, userId = user) => findLiveSubscription(db, { userId, organizationId: of });
      expect(await find(null)).toEqual({
        id: own,
        status: 'trialing',
        plan: starter,
        billingPeriod: 'monthly',
        seats: 1,
        ownerUserId: user,
        organizationId: null,
        trialEnd,
        currentPeriodEnd,
      });
      expect(await find(organizationId)).toMatchObject({
        id: bought,
        plan: pro,
        seats: 5,
        organizationId,
        trialEnd: null,
      });
      expect(await find(await shared())).toMatchObject({ id: own });
      // What somebody bought for an organisation that they have left is not theirs.
      expect(await find(null, other)).toBeNull();
    });

    it.each<[string, { ownerUserId: number | null; organizationId: number | null }, BuyingPool | null]>([
      ['an organisation', { ownerUserId: 1, organizationId: 2 }, { organizationId: 2 }],
      ['one whose buyer is gone', { ownerUserId: null, organizationId: 2 }, { organizationId: 2 }],
      ['an account', { ownerUserId: 1, organizationId: null }, { userId: 1 }],
      ['nobody any more', { ownerUserId: null, organizationId: null }, null],
    ])('are of %s', (_, row, pool) => {
      expect(poolOf(row)).toEqual(pool);
    });

    it('are written by one at a time; others write to other pools', async () => {
      await transaction(async (tx) => {
        await lockPools(tx, [{ userId: 1 }, null, { organizationId: 2 }, { userId: 1 }]);
        expect(await poolsWait({ userId: 1 })).toBe(true);
        expect(await poolsWait({ organizationId: 2 })).toBe(true);
        expect(await poolsWait({ organizationId: 1 }, { userId: 2 }, null)).toBe(false);
      });
    });

    it('are locked in one order, so that nobody waits in a circle', async () => {
      let behind = Promise.resolve();
      await transaction(async (tx) => {
        await lockPools(tx, [{ userId: 1 }]);
        behind = transaction((later) => lockPools(later, [{ userId: 2 }, { userId: 1 }]));
        await until(async () => (await lockWaits(database.dataSource)) > 0, SOON);
        expect(await waits((third) => lockPools(third, [{ userId: 2 }]))).toBe(false);
      });
      await behind;
    });

    it('are used up by one at a time: its owner is the lock', async () => {
      const pools = [
        { type: 'organization', organizationId },
        { type: 'user', userId: user },
        { type: 'none', userId: other },
      ] as const;
      for (const pool of pools)
        await transaction(async (tx) => {
          expect(await lockPool(tx, pool)).toBe(true);
          for (const one of pools) expect(await waits((later) => lockPool(later, one))).toBe(one === pool);
        });
      await transaction(async (tx) => {
        expect(await lockPool(tx, { type: 'user', userId: 2_000_000_000 })).toBe(false);
        expect(await lockPool(tx, { type: 'organization', organizationId: 2_000_000_000 })).toBe(false);
      });
    });

    it('move into another one', async () => {
      const id = await paid('active');
      await transaction((tx) => movePool(tx, id, organizationId));
      expect(await rowOf(id)).toMatchObject({ organizationId, ownerUserId: user });
      await transaction((tx) => movePool(tx, id, null));
      expect(await rowOf(id)).toMatchObject({ organizationId: null });
    });

    it('come along into the organisation that their buyer makes, with its seats', async () => {
      const [live, order, over] = [
        await paid('past_due', { plan: pro, seats: 7 }, { plan: pro, seats: 7 }),
        await ordered({ plan: pro, seats: 9 }),
        await paid('canceled', { plan: pro, seats: 8 }, { plan: pro, seats: 8 }),
      ];
      const ofOther = await paid('active', { plan: pro, ownerUserId: other }, { plan: pro });
      await transaction((tx) => bringToOrganization(tx, user, organizationId));
      expect([await organizationOf(live), await organizationOf(order)]).toEqual([organizationId, organizationId]);
      expect([await organizationOf(over), await organizationOf(ofOther)]).toEqual([null, null]);
      expect(await seatsOf()).toBe(7);
    });

    it('bring no seats before they are paid for, and of plans for one person nothing', async () => {
      const alone = await paid('active', { plan: starter });
      await ordered({ plan: pro, seats: 9 });
      await transaction((tx) => bringToOrganization(tx, user, organizationId));
      expect([await seatsOf(), await organizationOf(alone)]).toEqual([null, null]);
    });

    it('go back to their buyer when the organisation ends, unless that is not possible', async () => {
      const back = () => transaction((tx) => takeFromOrganization(tx, organizationId, user));
      expect(await back()).toBe(true);
      const id = await paid('active', { plan: pro, organizationId }, { plan: pro });
      const own = await paid('active', { plan: starter });
      expect([await back(), (await rowOf(id)).organizationId]).toEqual([false, organizationId]);
      await read(own, { status: 'canceled' });
      expect([await back(), (await rowOf(id)).organizationId]).toEqual([true, null]);
      await transaction((tx) => movePool(tx, id, organizationId));
      await moveSubscriptionOwner(db, organizationId, other);
      expect([await back(), (await rowOf(id)).organizationId]).toEqual([false, organizationId]);
    });

    it('move by one at a time', async () => {
      for (const move of [
        (tx: EntityManager) => bringToOrganization(tx, user, organizationId),
        (tx: EntityManager) => takeFromOrganization(tx, organizationId, user),
      ])
        await transaction(async (tx) => {
          await move(tx);
          expect([await poolsWait({ userId: user }), await poolsWait({ organizationId })]).toEqual([true, true]);
        });
    });

    it('go to another owner of the organisation, but for what is over', async () => {
      const open = await ordered({ organizationId });
      const live = await paid('unpaid', { organizationId });
      const over = await paid('canceled', { organizationId });
      const own = await paid('active');
      await transaction((tx) => moveSubscriptionOwner(tx, organizationId, other));
      const owners = await Promise.all([open, live, over, own].map(async (id) => (await rowOf(id)).ownerUserId));
      expect(owners).toEqual([other, other, user, user]);
    });

    it('are listed with what gives them a feature, also by a plan as it was sold', async () => {
      const with_ = { ...starter, features: { ...starter.features, dedicated_agent: true } };
      await paid('active', {}, { plan: with_ });
      await paid('unpaid', { ownerUserId: await createUserRow(database), organizationId }, { plan: pro });
      // Somebody who is gone.
      await paid('active', { ownerUserId: null as never }, { plan: with_ });
      await paid('active', { ownerUserId: other });
      await paid('canceled', { ownerUserId: other }, { plan: with_ });
      expect(await listPoolsWith(database.dataSource, 'dedicated_agent')).toEqual({
        organizations: [organizationId],
        accounts: [user],
      });
    });
  });

  describe('of a person', () => {
    it('that they bought for an organisation are the longest there, as long as they are paid for', async () => {
      expect(await findBoughtForOrganization(db, user)).toBeNull();
      await paid('active');
      await paid('canceled', { organizationId });
      await ordered({ organizationId });
      await paid('active', { ownerUserId: other, organizationId: await shared() });
      expect(await findBoughtForOrganization(db, user)).toBeNull();
      const first = await paid('past_due', { organizationId });
      await paid('active', { organizationId: await shared() });
      expect(await findBoughtForOrganization(db, user)).toEqual(await rowOf(first));
    });

    it('rule a trial out once one was paid for, by the buyer or in the pool', async () => {
      await ordered({ organizationId });
      expect([await had(user), await had(other, { organizationId })]).toEqual([false, false]);
      await paid('canceled', { organizationId });
      expect(await Promise.all([had(user), had(user, { organizationId: await shared() })])).toEqual([true, true]);
      expect(await Promise.all([had(other), had(other, { organizationId })])).toEqual([false, true]);
    });

    it('name the customer that the pool paid as last', async () => {
      await ordered({ customerId: 'unpaid' });
      expect(await customer({ userId: user })).toBeNull();
      await paid('canceled', {}, as('first'));
      await paid('canceled', {}, as('last'));
      await paid('canceled', { processor: 'stripe' }, as('elsewhere'));
      await paid('canceled', { organizationId }, as('bought'));
      await paid('canceled', { ownerUserId: other }, as('of another'));
      await paid('canceled');
      await ordered({ customerId: 'unpaid' });
      expect([await customer({ userId: user }), await customer({ userId: user }, 'stripe')]).toEqual([
        'last',
        'elsewhere',
      ]);
      expect([await customer({ organizationId }), await customer({ organizationId: await shared() })]).toEqual([
        'bought',
        null,
      ]);
    });

    it('are listed as paid, with those of the organisation that they answer for, the newest first', async () => {
      const own = await paid('canceled', { seats: 1, couponCode: 'HALF' });
      await ordered();
      await paid('active', { processor: 'stripe' });
      const theirs = await paid(
        'active',
        { ownerUserId: other, organizationId },
        {
          plan: pro,
          billingPeriod: 'yearly',
          seats: 3,
        },
      );
      const nameless = await paid('canceled', {}, { plan: { ...starter, name: undefined as never } });
      await paid('active', { ownerUserId: other });
      const ids = async (of: number | null) => (await listPaidOf(of)).map(({ id }) => id);
      expect([await ids(organizationId), await ids(null)]).toEqual([
        [nameless, theirs, own],
        [nameless, own],
      ]);
      expect(await listPaidOf(organizationId)).toMatchObject([
        { planName: 'starter', couponCode: null },
        { planCode: 'pro', planName: 'Pro', billingPeriod: 'yearly', seats: 3 },
        { planCode: 'starter', couponCode: 'HALF', seats: 1, processorSubscriptionId: `sub_${own}` },
      ]);
    });

    it('end with their account, but for what is over and was not given back', async () => {
      const ids = [await ordered(), await paid('active'), await paid('past_due', { organizationId })];
      for (const status of OVER) await paid(status);
      ids.push(await paid('canceled', {}, { giveBack: 'due' }));
      await paid('canceled', {}, { giveBack: 'done' });
      await paid('active', { ownerUserId: other });
      expect(await listUnendedOf(db, user)).toEqual(ids);
    });

    it('are in the copy of their data, with what they wrote, and without what the processor calls them', async () => {
      const first = await paid('canceled', { couponCode: 'HALF' }, { processorCustomerId: 'a', canceledAt: soon(-1) });
      const second = await paid('active', { organizationId }, { processorCustomerId: 'b' });
      await paid('canceled', { processor: 'stripe' }, { processorCustomerId: 'a' });
      await ordered();
      const theirs = await paid('canceled', { ownerUserId: other }, { processorCustomerId: 'c' });
      await noteCancelReason(db, first, 'too dear');
      await noteCancelReason(db, theirs, 'too small');
      const copy = await listExportedSubscriptions(db, user);
      expect(copy).toHaveLength(4);
      expect(copy[0]).toMatchObject({
        id: first,
        plan_code: 'starter',
        coupon_code: 'HALF',
        cancel_reason: 'too dear',
      });
      expect(copy[1]).toMatchObject({ id: second, status: 'active', plan: { code: 'starter' }, cancel_reason: null });
      expect(JSON.stringify(copy)).not.toMatch(/sub_|customer|checkout/);
      expect(await countSubscriptionsOf(db, user)).toBe(4);
      expect((await listCustomersOf(db, user)).toSorted()).toEqual(['a', 'b']);
      const forgettable = (await listForgettableCustomers(db, user)).toSorted((x, y) =>
        x.processor.localeCompare(y.processor),
      );
      expect(forgettable).toEqual([
        { customer: 'a', processor: 'stripe' },
        { customer: 'a', processor: 'test' },
      ]);
      await paid('past_due', { ownerUserId: other }, { processorCustomerId: 'a' });
      expect(await listForgettableCustomers(db, user)).toEqual([{ customer: 'a', processor: 'stripe' }]);
      await transaction((tx) => forgetReasons(tx, user));
      const reasons = await Promise.all([first, theirs].map(async (id) => (await rowOf(id)).cancelReason));
      expect(reasons).toEqual([null, 'too small']);
    });
  });

  describe('that wait', () => {
    it('are orders whose page is over and payments to give back, that nobody is at', async () => {
      const over = await ordered({ expiresAt: soon(-1) });
      const due = await paid('canceled', {}, { giveBack: 'due' });
      await ordered();
      await paid('active', { expiresAt: soon(-1) });
      await paid('canceled', {}, { giveBack: 'done' });
      expect(await listWaiting(db, 10)).toEqual([]);
      await sql(`UPDATE subscriptions SET updated_at = now() - interval '11 seconds'`);
      expect((await listWaiting(db, 10)).toSorted()).toEqual([over, due].toSorted());
      await sql(`UPDATE subscriptions SET updated_at = now() - interval '1 hour' WHERE id = $1`, [due]);
      expect(await listWaiting(db, 1)).toEqual([due]);
    });

    it('are looked at the less often the longer they wait, and hourly at least', async () => {
      const due = await paid('canceled', {}, { giveBack: 'due' });
      const isLookedAt = async (created: string, updated: string) => {
        await sql('UPDATE subscriptions SET created_at = now() - $1::interval, updated_at = now() - $2::interval', [
          created,
          updated,
        ]);
        return (await listWaiting(db, 1)).includes(due);
      };
      expect(await isLookedAt('1 minute', '11 seconds')).toBe(true);
      expect(await isLookedAt('1 hour', '2 minutes')).toBe(false);
      expect(await isLookedAt('1 hour', '4 minutes')).toBe(true);
      expect(await isLookedAt('1 year', '59 minutes')).toBe(false);
      expect(await isLookedAt('1 year', '61 minutes')).toBe(true);
    });

    it('for the end of a trial are told of it once, days before', async () => {
      const trialEnd = soon(2);
      const id = await paid('trialing', {}, { trialEnd });
      await paid('trialing', { ownerUserId: other }, { trialEnd: soon(4) });
      await paid('active', { organizationId }, { trialEnd });
      await paid('canceled', {}, { trialEnd });
      expect(await claim()).toEqual([{ id, ownerUserId: user, planName: 'Starter', trialEnd: new Date(trialEnd) }]);
      expect(await claim()).toEqual([]);
      await sql('UPDATE subscriptions SET trial_end_told_at = NULL, plan = $1, trial_end = $2', [
        {},
        new Date(trialEnd),
      ]);
      expect(await claim(1)).toMatchObject([{ planName: '' }]);
      expect(await claim(5)).toHaveLength(1);
    });
  });
});
