import type { Principal } from '@app/auth';
import { PlanChanges, SubscriptionSync } from '@app/billing';
import type { Plan, SubscriptionRow } from '@app/entitlements';
import { PaymentProcessorError } from '@app/integrations';
import { Till } from '../support/till.js';

const NONE = { code: 'no_active_subscription', message: 'There is no subscription that is paid for.' };
const NOT_OWNER = { code: 'not_plan_owner', message: 'Only an owner of your organization decides about its plan.' };
const ELSEWHERE = {
  code: 'subscription_exists',
  message: 'There is another subscription for whom this plan is meant. Cancel that one first.',
};
const OTHER_PROCESSOR = {
  code: 'other_processor',
  message: 'Payments of this subscription were taken by another processor. Ask your administrator.',
};

describe('a plan that somebody has', () => {
  let till: Till;
  beforeAll(async () => {
    till = await Till.open();
  });
  afterAll(() => till.stop());
  afterEach(() => jest.restoreAllMocks());

  const change = (viewer: Principal, planCode: string, seats?: number) => {
    // So that invoices have an order.
    till.clock.advance(1);
    return till.get(PlanChanges).change(viewer, { planCode, seats });
  };
  const cancel = (viewer: Principal, reason?: string) => till.get(PlanChanges).cancel(viewer, reason);
  const amountsOf = async ({ processorSubscriptionId }: SubscriptionRow) =>
    (await till.processor.listInvoices(processorSubscriptionId!)).map(({ amount }) => amount).toReversed();
  const set = (row: SubscriptionRow, what: string) =>
    till.sql(`UPDATE subscriptions SET ${what} WHERE id = $1`, [row.id]);
  const sell = (plans: (plan: Plan) => Plan) => {
    const offering = till.catalog.offering!;
    jest.replaceProperty(till.catalog, 'offering', { ...offering, plans: offering.plans.map(plans) });
  };
  /** An owner with the plan "pro", and so many further members. */
  async function company(more = 1, seats?: number) {
    const organizationId = await till.organization();
    const owner = await till.person(organizationId);
    const members: Principal[] = [];
    for (let member = 0; member < more; member += 1) members.push(await till.person(organizationId, 'member'));
    return { organizationId, owner, members, row: await till.buy(owner, { planCode: 'pro', seats }) };
  }

  describe('is changed', () => {
    it('to more seats and fewer, each time anew, and told to the processor in its terms', async () => {
      const { owner, row } = await company(1, 2);
      const asked = jest.spyOn(till.processor, 'changeSubscription');
      for (const seats of [4, 2, 4])
        expect(await change(owner, 'pro', seats)).toMatchObject({ id: row.id, status: 'active', seats });
      // What was given back for two is credit, which the last change uses up.
      expect(await amountsOf(row)).toEqual([15_800, 15_800, 0, 0]);
      expect(asked).toHaveBeenLastCalledWith(row.processorSubscriptionId, {
        planCode: 'pro',
        planName: 'Pro',
        period: 'monthly',
        seats: 4,
        unitAmount: 7900,
        currency: 'EUR',
        idempotencyKey: expect.stringContaining(row.id) as string,
      });
      const keys = asked.mock.calls.map(([, { idempotencyKey }]) => idempotencyKey);
      expect(new Set(keys).size).toBe(3);
      expect(await till.audited(row.id)).toContainEqual({
        action: 'subscription.changed',
        actor: null,
        details: expect.objectContaining({ seats: 2 }) as object,
      });
    });

    it('to fewer seats, beyond which nobody comes in while the processor answers', async () => {
      const { owner, organizationId } = await company(1, 3);
      const paidFor = async () =>
        (
          await till.sql<{ seats: number }>('SELECT plan_seats AS seats FROM organizations WHERE id = $1', [
            organizationId,
          ])
        )[0]!.seats;
      const held: number[] = [];
      const { processor } = till;
      const really = processor.changeSubscription.bind(processor);
      const asked = jest.spyOn(processor, 'changeSubscription').mockImplementation(async (...wanted) => {
        held.push(await paidFor());
        return really(...wanted);
      });
      await change(owner, 'pro', 2);
      await change(owner, 'pro', 4);
      expect(held).toEqual([2, 2]);
      expect(await paidFor()).toBe(4);
      asked.mockImplementation(async () => {
        held.push(await paidFor());
        throw new PaymentProcessorError('It is away.', true);
      });
      await expect(change(owner, 'pro', 2)).rejects.toMatchObject({ code: 'payment_processor_error' });
      expect(held.at(-1)).toBe(2);
      expect(await paidFor()).toBe(4);
    });

    it('to what it is already, without a word to the processor, also when a payment is open', async () => {
      const { owner, row } = await company();
      await set(row, `status = 'past_due'`);
      const asked = jest.spyOn(till.processor, 'changeSubscription');
      expect(await change(owner, 'pro', 2)).toEqual({ ...row, status: 'past_due' });
      expect(await change(owner, 'pro')).toEqual({ ...row, status: 'past_due' });
      expect(asked).not.toHaveBeenCalled();
    });

    it('by year to what the other plan costs by year', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer, { billingPeriod: 'yearly' });
      const asked = jest.spyOn(till.processor, 'changeSubscription');
      expect(await change(viewer, 'trial')).toMatchObject({ billingPeriod: 'yearly', plan: { code: 'trial' } });
      expect(asked.mock.calls[0]).toMatchObject([
        row.processorSubscriptionId,
        { planCode: 'trial', planName: 'Tried', period: 'yearly', unitAmount: 9600, seats: 1 },
      ]);
    });

    it('once, though the process ended before its row knew of it', async () => {
      const { owner, row } = await company(1, 2);
      const sync = till.get(SubscriptionSync);
      jest.spyOn(sync, 'syncRow').mockRejectedValue(new PaymentProcessorError('It is away.', true));
      await expect(change(owner, 'pro', 4)).rejects.toMatchObject({ code: 'payment_processor_error' });
      expect((await till.row(row.id)).seats).toBe(2);
      jest.restoreAllMocks();
      expect((await change(owner, 'pro', 4)).seats).toBe(4);
      expect(await amountsOf(row)).toEqual([15_800, 15_800]);
      expect((await till.audited(row.id)).at(-1)).toEqual({
        action: 'subscription.changed',
        actor: owner.username,
        details: expect.objectContaining({ plan_code: 'pro', seats: 4 }) as object,
      });
    });

    it.each([
      ['keeps its seats', { min: 2, max: 50, adjustable: true }, 1, 3],
      ['keeps the least that the other plan has', { min: 3, max: 50, adjustable: true }, 1, 3],
      ['gets the least that the other plan has', { min: 4, max: 50, adjustable: true }, 1, 4],
      ['keeps one for each member', { min: 1, max: 50, adjustable: true }, 2, 3],
      ['gets one for each member', { min: 1, max: 50, adjustable: true }, 3, 4],
      ['gets those of a plan that has no other', { min: 9, max: 9, adjustable: false }, 1, 9],
    ])('and %s unless told', async (_, seats, more, expected) => {
      const { owner, organizationId } = await company(0, 3);
      for (let member = 0; member < more; member += 1) await till.person(organizationId, 'member');
      sell((plan) => (plan.code === 'trial' ? { ...plan, pool: 'organization', seats } : plan));
      expect(await change(owner, 'trial')).toMatchObject({ plan: { code: 'trial' }, seats: expected, organizationId });
    });

    it('within the plan as it was sold, also when it is sold no longer, and at that price', async () => {
      const { owner, row } = await company(1, 2);
      sell((plan) => ({ ...plan, retired: true, monthlyPrice: 1, seats: { ...plan.seats, max: 2 } }));
      expect(await change(owner, 'pro', 3)).toMatchObject({ seats: 3 });
      expect(await amountsOf(row)).toEqual([15_800, 7900]);
      await expect(change(owner, 'starter')).rejects.toMatchObject({
        fields: { plan_code: ['The plan "Starter" is no longer sold.'] },
      });
    });

    it('not below the seats that members need', async () => {
      const { owner } = await company(2);
      await expect(change(owner, 'pro', 2)).rejects.toMatchObject({
        fields: { seats: ['Your organization has 3 members, so 3 seats are needed at least.'] },
      });
    });

    it.each(['past_due', 'unpaid'])('not while a payment is open (%s)', async (status) => {
      const viewer = await till.person();
      const row = await till.buy(viewer);
      await set(row, `status = '${status}'`);
      await expect(change(viewer, 'trial')).rejects.toMatchObject({
        code: 'payment_open',
        message: 'A payment is open. Pay it first; then the plan can be changed.',
      });
      expect(await amountsOf(row)).toEqual([2900]);
    });

    it('not by a card that is declined', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer, { planCode: 'trial', billingPeriod: 'yearly' });
      await till.payer.advance(till.portalOf(row), row.processorSubscriptionId!);
      await till.payer.setDeclines(till.portalOf(row), true);
      const asked = jest.spyOn(till.processor, 'changeSubscription');
      await expect(change(viewer, 'starter')).rejects.toMatchObject({
        name: 'ConflictError',
        code: 'payment_declined',
      });
      expect((await till.row(row.id)).plan.code).toBe('trial');
      // With another card it is another try: processors repeat what they answered to a key.
      await till.payer.setDeclines(till.portalOf(row), false);
      expect(await change(viewer, 'starter')).toMatchObject({ plan: { code: 'starter' } });
      const [first, second] = asked.mock.calls.map(([, { idempotencyKey }]) => idempotencyKey);
      expect(second).not.toBe(first);
    });
  });

  it('is asked for anew after a "no" of any kind, which processors repeat to the same key', async () => {
    const { owner } = await company(1, 2);
    const asked = jest.spyOn(till.processor, 'changeSubscription');
    const keys = () => asked.mock.calls.map(([, { idempotencyKey }]) => idempotencyKey);
    asked.mockRejectedValueOnce(new PaymentProcessorError('It is away.', true));
    asked.mockRejectedValueOnce(new PaymentProcessorError('It said so before.', false));
    for (let time = 0; time < 2; time += 1)
      await expect(change(owner, 'pro', 4)).rejects.toMatchObject({ code: 'payment_processor_error' });
    // What may have been done is asked for as the same.
    expect(keys()[1]).toBe(keys()[0]);
    expect((await change(owner, 'pro', 4)).seats).toBe(4);
    expect(keys()[2]).not.toBe(keys()[0]);
  });

  describe('moves with a plan for another kind of pool', () => {
    it('into the organisation of its owner, and back', async () => {
      const owner = await till.person();
      const row = await till.buy(owner);
      const organizationId = await till.organization();
      await till.moveTo(owner, organizationId);
      await till.person(organizationId, 'member');
      expect(await change(owner, 'pro')).toMatchObject({ id: row.id, organizationId, seats: 2 });
      expect(await change(owner, 'starter')).toMatchObject({ id: row.id, organizationId: null, seats: 1 });
    });

    it('stays where it is for who belongs to no organisation', async () => {
      const viewer = await till.person();
      await till.buy(viewer);
      expect(await change(viewer, 'pro', 5)).toMatchObject({ organizationId: null, seats: 5 });
      expect(await change(viewer, 'starter')).toMatchObject({ organizationId: null, seats: 1 });
    });

    it('not because its owner joined an organisation, which it has nothing to do with', async () => {
      const viewer = await till.person();
      await till.buy(viewer, { planCode: 'pro', seats: 4 });
      const { organizationId } = await company(2);
      await till.moveTo(viewer, organizationId, 'member');
      expect(await change(viewer, 'pro', 2)).toMatchObject({ organizationId: null, seats: 2 });
    });

    it('not by who is no owner there, and not into the pool of who did not buy it', async () => {
      const { organizationId, owner, row } = await company();
      const other = await till.person(organizationId);
      await expect(change(other, 'starter')).rejects.toMatchObject(NOT_OWNER);
      const member = await till.person();
      const own = await till.buy(member);
      await till.moveTo(member, await till.organization(), 'member');
      await expect(change(member, 'pro')).rejects.toMatchObject(NOT_OWNER);
      for (const { id, plan } of [row, own]) expect((await till.row(id)).plan.code).toBe(plan.code);
      expect(await change(owner, 'starter')).toMatchObject({ organizationId: null });
    });

    it('not where there is one already', async () => {
      const owner = await till.person();
      const own = await till.buy(owner);
      const { organizationId, row } = await company();
      // Both are theirs now: that of the organisation is the one that is changed.
      await till.moveTo(owner, organizationId);
      await set(row, `owner_user_id = ${owner.userId}`);
      await expect(change(owner, 'starter')).rejects.toMatchObject(ELSEWHERE);
      expect((await till.row(own.id)).plan.code).toBe('starter');
      // A change that leaves it where it is goes on.
      expect(await change(owner, 'pro', 7)).toMatchObject({ id: row.id, seats: 7 });
    });
  });

  describe('is cancelled', () => {
    it('at once, by whom and why', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer);
      const asked = jest.spyOn(till.processor, 'cancelSubscription');
      expect(await cancel(viewer, 'Too dear.')).toMatchObject({
        id: row.id,
        status: 'canceled',
        canceledAt: till.clock.now(),
        cancelReason: 'Too dear.',
      });
      expect(asked.mock.calls).toEqual([
        [row.processorSubscriptionId, { reason: 'Too dear.', idempotencyKey: `cancel-${row.id}` }],
      ]);
      await expect(cancel(viewer)).rejects.toMatchObject(NONE);
      await expect(change(viewer, 'trial')).rejects.toMatchObject(NONE);
    });

    it('without a reason where none is given, with a former one kept', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer);
      await set(row, `cancel_reason = 'Said before.'`);
      const asked = jest.spyOn(till.processor, 'cancelSubscription');
      expect(await cancel(viewer)).toMatchObject({ status: 'canceled', cancelReason: 'Said before.' });
      expect(asked.mock.calls[0]![1]).toEqual({ idempotencyKey: `cancel-${row.id}` });
    });

    it('by whoever asked, also when the row did not know of it at first', async () => {
      const viewer = await till.person();
      const row = await till.buy(viewer);
      jest
        .spyOn(till.get(SubscriptionSync), 'syncRow')
        .mockRejectedValue(new PaymentProcessorError('It is away.', true));
      await expect(cancel(viewer)).rejects.toMatchObject({ code: 'payment_processor_error' });
      expect((await till.row(row.id)).status).toBe('active');
      jest.restoreAllMocks();
      expect((await cancel(viewer)).status).toBe('canceled');
      expect((await till.audited(row.id)).at(-1)).toMatchObject({
        action: 'subscription.canceled',
        actor: viewer.username,
      });
    });

    it('that of the organisation by its owners, one’s own by oneself', async () => {
      const { organizationId, owner, row } = await company();
      const member = await till.person();
      const own = await till.buy(member);
      await till.moveTo(member, organizationId, 'member');
      const other = await till.person(organizationId);
      const poor = await till.person(organizationId, 'admin');
      for (const work of [() => cancel(poor), () => change(poor, 'pro', 9)])
        await expect(work()).rejects.toMatchObject(NOT_OWNER);
      expect((await cancel(member)).id).toBe(own.id);
      await expect(cancel(member)).rejects.toMatchObject(NOT_OWNER);
      // Of what the owner has besides, that of the organisation goes first.
      const besides = await till.person();
      const later = await till.buy(besides);
      await till.moveTo(besides, organizationId);
      expect((await cancel(besides)).id).toBe(row.id);
      expect((await cancel(besides)).id).toBe(later.id);
      for (const viewer of [owner, other, besides]) await expect(cancel(viewer)).rejects.toMatchObject(NONE);
    });

    it('by who bought it and left, or is no owner any more, and changed by them no more', async () => {
      const [left, demoted] = [await company(), await company()];
      await till.moveTo(left.owner, null);
      await till.moveTo(demoted.owner, demoted.organizationId, 'member');
      await expect(change(left.owner, 'pro', 9)).rejects.toMatchObject(NONE);
      await expect(change(demoted.owner, 'pro', 9)).rejects.toMatchObject(NOT_OWNER);
      // What they live on goes first.
      const own = await till.buy(left.owner);
      expect((await cancel(left.owner)).id).toBe(own.id);
      expect(await cancel(left.owner)).toMatchObject({ id: left.row.id, status: 'canceled' });
      expect(await cancel(demoted.owner)).toMatchObject({ id: demoted.row.id, status: 'canceled' });
      await expect(cancel(left.owner)).rejects.toMatchObject(NONE);
    });
  });

  it('stays what it is when the processor cannot be asked for it', async () => {
    const viewer = await till.person();
    const row = await till.buy(viewer);
    const unchanged = async () => expect(await till.row(row.id)).toMatchObject({ status: 'active', plan: row.plan });
    for (const what of [`processor = 'stripe'`, `processor = 'test', processor_subscription_id = NULL`]) {
      await set(row, what);
      for (const work of [() => cancel(viewer), () => change(viewer, 'trial')])
        await expect(work()).rejects.toMatchObject(OTHER_PROCESSOR);
      await unchanged();
    }
    await set(row, `processor_subscription_id = 'tsub_lost'`);
    for (const work of [() => cancel(viewer), () => change(viewer, 'trial')])
      await expect(work()).rejects.toMatchObject({ code: 'payment_processor_error' });
    await unchanged();
    await expect(cancel({ ...viewer, userId: 2_000_000_000 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that is gone from the books meanwhile is not there', async () => {
    const viewer = await till.person();
    const row = await till.buy(viewer);
    jest.spyOn(till.get(SubscriptionSync), 'syncRow').mockImplementation(async (id) => {
      await till.sql('DELETE FROM subscriptions WHERE id = $1', [id]);
      return 'not_ours';
    });
    await expect(cancel(viewer)).rejects.toMatchObject({ code: 'not_found' });
    expect(await till.processor.readSubscription(row.processorSubscriptionId!)).toMatchObject({ status: 'canceled' });
  });
});
