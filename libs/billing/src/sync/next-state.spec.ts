import type { Plan, SubscriptionRow } from '@app/entitlements';
import type { ProcessorSubscription } from '@app/integrations';
import { auditedChanges, mailedChange } from './changes.js';
import { type Circumstances, nextState, type Read } from './next-state.js';

const plan = (code: string) => ({ code, name: code }) as Plan;

const row: SubscriptionRow = {
  id: 'ours',
  ownerUserId: 1,
  organizationId: null,
  status: 'incomplete',
  plan: plan('pro'),
  billingPeriod: 'monthly',
  seats: 2,
  couponCode: null,
  processor: 'test',
  processorCustomerId: null,
  processorSubscriptionId: null,
  processorCheckoutId: 'page',
  checkoutUrl: null,
  checkoutExpiresAt: null,
  trialEnd: null,
  currentPeriodEnd: null,
  canceledAt: null,
  cancelReason: null,
  createdAt: 0,
  readWritten: 0,
  giveBack: 'none',
};
const subscription: ProcessorSubscription = {
  id: 'theirs',
  reference: 'ours',
  customerId: 'customer',
  status: 'active',
  planCode: 'pro',
  period: 'monthly',
  seats: 2,
  trialEnd: null,
  currentPeriodEnd: 5,
  canceledAt: null,
};
const usual: Circumstances = {
  poolFilled: false,
  findPlan: (code) => (code === 'team' ? plan(code) : null),
  nowMs: 9,
  isGivenBack: false,
};
const after = (
  of: Partial<SubscriptionRow>,
  read: Partial<ProcessorSubscription>,
  circumstances: Partial<Circumstances> = {},
) => nextState({ ...row, ...of }, { subscription: { ...subscription, ...read } }, { ...usual, ...circumstances });

const STATUSES = ['incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'unpaid', 'canceled'] as const;
const LIVE: readonly string[] = ['trialing', 'active', 'past_due', 'unpaid'];

describe('the state after a reading', () => {
  it.each(STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const)))(
    'from %s, when %s is read',
    (from, to) => {
      const expected = (): string => {
        if (from === 'canceled' || from === 'incomplete_expired') return from;
        if (LIVE.includes(from) && to === 'incomplete') return from;
        if (LIVE.includes(from) && to === 'incomplete_expired') return 'canceled';
        return to;
      };
      const state = after({ status: from }, { status: to });
      expect(state.status).toBe(expected());
      expect(state.giveBack).toBe(from === 'incomplete_expired' && LIVE.includes(to) ? 'due' : 'none');
      expect(state.processorSubscriptionId).toBe('theirs');
      expect(state.processorCustomerId).toBe('customer');
      if (state.status === 'canceled' && from !== 'canceled') expect(state.canceledAt).toBe(9);
    },
  );

  it('of a page goes by whether it is open', () => {
    const page = (status: SubscriptionRow['status'], checkout: 'open' | 'expired') => {
      const read: Read = { checkout, customerId: null };
      return nextState({ ...row, status, processorCustomerId: 'kept' }, read, usual);
    };
    expect(page('incomplete', 'open')).toMatchObject({ status: 'incomplete', processorCustomerId: 'kept' });
    expect(page('incomplete', 'expired').status).toBe('incomplete_expired');
    expect(page('active', 'expired').status).toBe('active');
    expect(nextState(row, { checkout: 'open', customerId: 'new' }, usual).processorCustomerId).toBe('new');
  });

  it('gives back what would fill a pool twice, or nobody’s', () => {
    for (const status of ['trialing', 'active', 'past_due', 'unpaid'] as const) {
      expect(after({}, { status }, { poolFilled: true })).toMatchObject({ status: 'incomplete', giveBack: 'due' });
      expect(after({ ownerUserId: null }, { status })).toMatchObject({ status: 'incomplete', giveBack: 'due' });
      expect(after({ ownerUserId: null, organizationId: 3 }, { status })).toMatchObject({ status, giveBack: 'none' });
      // One that is live stays, whoever else is.
      expect(after({ status: 'active' }, { status }, { poolFilled: true })).toMatchObject({ status, giveBack: 'none' });
    }
    expect(after({}, { status: 'canceled' }, { poolFilled: true })).toMatchObject({
      status: 'canceled',
      giveBack: 'none',
    });
  });

  it('stays due until it is given back, and is over then', () => {
    expect(after({ giveBack: 'due' }, { status: 'canceled' })).toMatchObject({ status: 'incomplete', giveBack: 'due' });
    expect(after({ giveBack: 'due' }, { status: 'active' })).toMatchObject({ status: 'incomplete', giveBack: 'due' });
    const done = { isGivenBack: true };
    expect(after({ giveBack: 'due' }, { status: 'canceled', canceledAt: 4 }, done)).toMatchObject({
      status: 'canceled',
      giveBack: 'done',
      canceledAt: 4,
    });
    expect(after({ giveBack: 'due', status: 'incomplete_expired' }, { status: 'canceled' }, done)).toMatchObject({
      status: 'incomplete_expired',
      giveBack: 'done',
    });
    expect(after({ giveBack: 'done', status: 'incomplete_expired' }, { status: 'active' })).toMatchObject({
      status: 'incomplete_expired',
      giveBack: 'done',
    });
    // Nothing is given back that did not have to be.
    expect(after({ status: 'active' }, { status: 'active' }, done)).toMatchObject({ giveBack: 'none' });
  });

  it('keeps a plan as it was sold, until another one is bought that is known', () => {
    const active = { status: 'active' } as const;
    expect(after(active, { planCode: 'team', seats: 7, period: 'yearly' })).toMatchObject({
      plan: { code: 'team' },
      seats: 7,
      billingPeriod: 'yearly',
    });
    expect(after(active, { planCode: 'unknown' }).plan.code).toBe('pro');
    const kept = after(active, {}, { findPlan: () => plan('other') }).plan;
    expect(kept).toBe(row.plan);
    expect(after(active, { seats: 0 }).seats).toBe(1);
    expect(after(active, { trialEnd: 7, currentPeriodEnd: 8 })).toMatchObject({
      trialEnd: 7,
      currentPeriodEnd: 8,
      canceledAt: null,
    });
  });
});

const tell = (from: Partial<SubscriptionRow>, to: Partial<SubscriptionRow>) => {
  const [before, now] = [
    { ...row, ...from },
    { ...row, ...from, ...to },
  ];
  return [auditedChanges(before, now), mailedChange(before, now)];
};

describe('what is told of a change', () => {
  it.each([
    [{ status: 'incomplete' }, { status: 'active' }, ['subscription.started'], null],
    [{ status: 'incomplete' }, { status: 'trialing' }, ['subscription.started'], null],
    [{ status: 'incomplete' }, { status: 'incomplete_expired' }, ['subscription.checkout_expired'], null],
    [{ status: 'trialing' }, { status: 'active' }, ['subscription.trial_ended'], null],
    [{ status: 'trialing' }, { status: 'past_due' }, ['subscription.payment_failed'], 'payment-failed'],
    [{ status: 'active' }, { status: 'past_due' }, ['subscription.payment_failed'], 'payment-failed'],
    [{ status: 'past_due' }, { status: 'active' }, ['subscription.payment_recovered'], null],
    [{ status: 'unpaid' }, { status: 'active' }, ['subscription.payment_recovered'], null],
    [{ status: 'past_due' }, { status: 'unpaid' }, ['subscription.expired'], 'plan-unpaid'],
    [{ status: 'active' }, { status: 'canceled' }, ['subscription.canceled'], 'plan-canceled'],
    [{ status: 'incomplete' }, { status: 'canceled' }, ['subscription.canceled'], null],
    [{ status: 'active' }, {}, [], null],
    [{ status: 'past_due' }, {}, [], null],
    [{ status: 'active' }, { seats: 3 }, ['subscription.changed'], null],
    [{ status: 'active' }, { billingPeriod: 'yearly' }, ['subscription.changed'], null],
    [{ status: 'active' }, { plan: plan('team') }, ['subscription.changed'], null],
    [{ status: 'incomplete' }, { seats: 3 }, [], null],
    [{ giveBack: 'due' }, { giveBack: 'done', status: 'canceled' }, ['subscription.given_back'], 'payment-given-back'],
    [{ giveBack: 'none' }, { giveBack: 'due' }, [], null],
    [{ giveBack: 'done', status: 'canceled' }, {}, [], null],
  ] as [Partial<SubscriptionRow>, Partial<SubscriptionRow>, string[], string | null][])(
    '%j, then %j',
    (from, to, audited, mailed) => {
      expect(tell(from, to)).toEqual([audited, mailed]);
    },
  );
});
