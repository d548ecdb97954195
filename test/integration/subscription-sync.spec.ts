import { AuditLog } from '@app/audit';
import type { Principal } from '@app/auth';
import {
  AccountSubscriptions,
  BillingDesk,
  Checkouts,
  SubscriptionSweeper,
  SubscriptionSync,
  TestPayer,
} from '@app/billing';
import { newId, SystemClock, ValidationError } from '@app/common';
import { findLiveSubscription, PlanCatalog } from '@app/entitlements';
import { PaymentProcessor, Subscriptions } from '@app/integrations';
import { LiveBus } from '@app/live';
import { Messages } from '@app/messages';
import { SoleTasks } from '@app/queues';
import type { TestApi } from '../support/api.js';
import { auditedActions } from '../support/audit.js';
import { startShop } from '../support/billing.js';
import { rounds } from '../support/long.js';

/** The test processor behind another wire: answers are held up, or do not come. */
function wire(through: PaymentProcessor, over: Partial<PaymentProcessor>): PaymentProcessor {
  return new Proxy(through, {
    get: (target, name) => {
      const own = over[name as keyof PaymentProcessor];
      const value = own ?? (target[name as keyof PaymentProcessor] as unknown);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('subscriptions follow their processor', () => {
  let api: TestApi;
  let processor: PaymentProcessor;
  let payer: TestPayer;
  let checkouts: Checkouts;
  let sync: SubscriptionSync;
  let accounts = 0;
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);

  beforeAll(async () => {
    api = await startShop();
    const get = <T>(type: abstract new (...parts: never[]) => T) => api.app.get<T>(type as never, { strict: false });
    [processor, payer, checkouts, sync] = [
      get(PaymentProcessor),
      get(TestPayer),
      get(Checkouts),
      get(SubscriptionSync),
    ];
  });
  afterAll(() => api.stop());

  const syncOver = (over: PaymentProcessor) => {
    const get = <T>(type: abstract new (...parts: never[]) => T) => api.app.get<T>(type as never, { strict: false });
    return new SubscriptionSync(
      api.database.dataSource,
      over,
      api.app.get(PlanCatalog, { strict: false }),
      get(AuditLog),
      get(Messages),
      get(LiveBus),
      new SystemClock(),
    );
  };

  async function person(organizationId: number | null = null): Promise<Principal> {
    accounts += 1;
    const username = `payer${accounts}`;
    const [{ id }] = await sql<[{ id: number }]>(
      `INSERT INTO users (username, email, organization_id, organization_role) VALUES ($1, $1 || '@test.example', $2, 'owner') RETURNING id`,
      [username, organizationId],
    );
    return {
      userId: id,
      username,
      email: `${username}@test.example`,
      sessionId: newId(),
      isStaff: false,
      organizationId,
      scopes: null,
    };
  }

  const order = (viewer: Principal, more: object = {}) =>
    checkouts.open(viewer, { planCode: 'starter', billingPeriod: 'monthly', ...more });
  const rowsOf = ({ userId }: Principal) =>
    sql<
      { id: string; status: string; give_back: string; subscription: string | null; seats: number; plan_code: string }[]
    >(
      `SELECT id, status, give_back, processor_subscription_id AS subscription, seats, plan_code FROM subscriptions
       WHERE owner_user_id = $1 ORDER BY created_at, id`,
      [userId],
    );
  const statusOf = async (viewer: Principal) => (await rowsOf(viewer)).at(-1)!.status;
  async function paid(viewer: Principal, more: object = {}) {
    const { id } = await order(viewer, more);
    await payer.pay(id);
    const row = (await rowsOf(viewer)).at(-1)!;
    const state = (await processor.readSubscription(row.subscription!))!;
    return { ...row, subscription: row.subscription!, portal: { id: '', customerId: state.customerId, returnUrl: '' } };
  }

  it('whatever happens meanwhile, and however many look at once, the end is what the processor says', async () => {
    for (let round = 0; round < rounds(60, 12); round += 1) {
      const viewer = await person();
      const { id, subscription, portal } = await paid(viewer, { planCode: round % 2 ? 'trial' : 'starter' });
      const { checkout } = (
        await sql<{ checkout: string }[]>('SELECT processor_checkout_id AS checkout FROM subscriptions WHERE id = $1', [
          id,
        ])
      )[0]!;
      const slow = wire(processor, {
        readSubscription: async (read: string) => {
          const state = await processor.readSubscription(read);
          await new Promise((done) => setTimeout(done, Math.random() * 15));
          return state;
        },
      });
      const lateSync = syncOver(slow);
      const looks: Promise<unknown>[] = [];
      for (let step = 0; step < 8; step += 1) {
        const chance = Math.random();
        if (chance < 0.3) await payer.setDeclines(portal, Math.random() < 0.5);
        else if (chance < 0.6) await payer.advance(portal, subscription);
        else if (chance < 0.8) await payer.payOpen(portal, subscription);
        else if (step === 7) await processor.cancelSubscription(subscription, { idempotencyKey: 'x' });
        for (let look = 0; look < 3; look += 1)
          looks.push(
            lateSync.sync(look === 0 ? { kind: 'checkout', id: checkout } : { kind: 'subscription', id: subscription }),
          );
      }
      await Promise.all(looks);
      const said = await processor.readSubscription(subscription);
      expect(await rowsOf(viewer)).toEqual([expect.objectContaining({ status: said!.status, give_back: 'none' })]);
    }
  });

  it('of fifty pages of one pool that are paid at once, one counts, and the others are given back', async () => {
    const [{ id: organizationId }] = await sql<[{ id: number }]>(
      `INSERT INTO organizations (name) VALUES ('Acme') RETURNING id`,
    );
    const owner = await person(organizationId);
    const first = await order(owner, { planCode: 'pro', seats: 2 });
    const many = 50;
    // As if each had slipped past the check of the others.
    const pages = [first.id];
    for (let copy = 1; copy < many; copy += 1) {
      const id = newId();
      await sql(
        `INSERT INTO subscriptions (id, owner_user_id, organization_id, status, plan_code, plan, billing_period, seats, processor, checkout_expires_at, processor_checkout_id)
         SELECT $1::uuid, owner_user_id, organization_id, status, plan_code, plan, billing_period, seats, processor, checkout_expires_at, 'tcs_' || $1::text
         FROM subscriptions WHERE processor_checkout_id = $2`,
        [id, first.id],
      );
      await sql(
        `INSERT INTO billing_test_checkouts (id, idempotency_key, reference, ordered, email, expires_at)
         SELECT 'tcs_' || $1::text, $1::text, $1::text, ordered, email, expires_at FROM billing_test_checkouts WHERE id = $2`,
        [id, first.id],
      );
      pages.push(`tcs_${id}`);
    }
    await Promise.all(pages.map((page) => payer.pay(page)));
    const rows = await rowsOf(owner);
    expect(rows.filter(({ status }) => status === 'active')).toHaveLength(1);
    expect(rows.filter(({ status, give_back }) => status === 'canceled' && give_back === 'done')).toHaveLength(
      many - 1,
    );
    const invoices = await sql<{ status: string; count: number }[]>(
      `SELECT i.status, count(*)::int AS count FROM billing_test_invoices i JOIN billing_test_subscriptions s ON s.id = i.subscription_id
       WHERE s.reference = ANY($1) GROUP BY 1 ORDER BY 1`,
      [rows.map(({ id }) => id)],
    );
    expect(invoices).toEqual([
      { status: 'paid', count: 1 },
      { status: 'refunded', count: many - 1 },
    ]);
    const live = await findLiveSubscription(api.database.dataSource.manager, { userId: owner.userId, organizationId });
    expect(live).toMatchObject({ status: 'active', organizationId });
  });

  const sweeper = () =>
    new SubscriptionSweeper(
      api.database.dataSource,
      processor,
      checkouts,
      sync,
      api.app.get(Messages, { strict: false }),
      api.app.get(SoleTasks, { strict: false }),
      1,
    );

  it('a coupon for three is redeemed three times by a hundred at once, and comes back when a page closes', async () => {
    const people = await Promise.all(Array.from({ length: 100 }, () => person()));
    const results = await Promise.allSettled(people.map((viewer) => order(viewer, { couponCode: 'THREE' })));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(results.length - refused.length).toBe(3);
    for (const { reason } of refused) {
      expect(reason).toBeInstanceOf(ValidationError);
      expect((reason as ValidationError).fields).toEqual({
        coupon_code: ['This coupon was used as often as it may be.'],
      });
    }
    const lucky = people.filter((_, at) => results[at]!.status === 'fulfilled');
    await payer.pay((await order(lucky[0]!, { couponCode: 'THREE' })).id);
    await sql(
      `UPDATE subscriptions SET checkout_expires_at = now() - interval '1 second', updated_at = now() - interval '1 minute'
               WHERE owner_user_id = $1`,
      [lucky[1]!.userId],
    );
    await sweeper().sweep();
    expect(await statusOf(lucky[1]!)).toBe('incomplete_expired');
    const again = await Promise.allSettled(people.slice(0, 20).map((viewer) => order(viewer, { couponCode: 'THREE' })));
    const [{ count }] = await sql<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM subscriptions WHERE coupon_code = 'THREE' AND status <> 'incomplete_expired'`,
    );
    expect(count).toBe(3);
    expect(again.some(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it('ten orders at once are one page, or one open page of those that differ', async () => {
    const [same, other] = [await person(), await person()];
    const pages = await Promise.all(Array.from({ length: 10 }, () => order(same)));
    expect(new Set(pages.map(({ id }) => id)).size).toBe(1);
    expect(await rowsOf(same)).toHaveLength(1);
    const mixed = await Promise.allSettled(
      Array.from({ length: 10 }, (_, at) => order(other, { planCode: at % 2 ? 'starter' : 'pro' })),
    );
    for (const result of mixed)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'checkout_replaced' });
    const open = await sql<{ id: string }[]>(
      `SELECT c.id FROM billing_test_checkouts c JOIN subscriptions s ON s.id::text = c.reference
       WHERE s.owner_user_id = $1 AND c.status = 'open'`,
      [other.userId],
    );
    expect(open.length).toBeLessThanOrEqual(1);
    // Whatever was open, everybody pays: one counts.
    for (const result of mixed) if (result.status === 'fulfilled') await payer.pay(result.value.id);
    expect((await rowsOf(other)).filter(({ status }) => status === 'active').length).toBeLessThanOrEqual(1);
    await payer.pay((await order(same)).id);
    expect(await statusOf(same)).toBe('active');
  });

  it('an order that a process left between the processor and its row is taken up again', async () => {
    const viewer = await person();
    const { id } = await order(viewer);
    await sql('UPDATE subscriptions SET processor_checkout_id = NULL, checkout_url = NULL WHERE owner_user_id = $1', [
      viewer.userId,
    ]);
    expect((await order(viewer)).id).toBe(id);
    await sql('UPDATE subscriptions SET processor_checkout_id = NULL, checkout_url = NULL WHERE owner_user_id = $1', [
      viewer.userId,
    ]);
    await payer.pay(id);
    expect(await statusOf(viewer)).toBe('active');
  });

  it('with the account everything ends that it pays for or has ordered, also when it is asked again', async () => {
    const ending = api.app.get<AccountSubscriptions>(Subscriptions, { strict: false });
    const [buyer, orderer, former] = [await person(), await person(), await person()];
    const { subscription } = await paid(buyer);
    const { id } = await order(orderer);
    const old = await paid(former);
    await sql(`UPDATE subscriptions SET processor = 'stripe' WHERE id = $1`, [old.id]);
    for (let time = 0; time < 2; time += 1)
      for (const { userId } of [buyer, orderer, former]) await ending.endFor(userId);
    expect(await statusOf(buyer)).toBe('canceled');
    expect(await processor.readSubscription(subscription)).toMatchObject({ status: 'canceled' });
    expect(await statusOf(orderer)).toBe('incomplete_expired');
    expect((await payer.pay(id))!.status).toBe('expired');
    expect(await statusOf(former)).toBe('canceled');
  });

  it('what changed is told in the audit log', async () => {
    const viewer = await person();
    const { id } = await paid(viewer);
    expect(await auditedActions(api.database.dataSource, { target: `subscription:${id}` })).toEqual([
      'subscription.checkout_opened',
      'subscription.started',
    ]);
    expect(api.app.get(BillingDesk, { strict: false }).returnUrl('success')).toBe(
      'https://app.example/plans?billing=success',
    );
  });
});
