import { call, startApi, type TestApi } from '../support/api.js';
import { PLANS, RETURN_URL, Shopper, startShop, writePlans } from '../support/billing.js';
import { mailsTo } from '../support/outbox.js';
import { until } from '../support/until.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

const amountsOf = async (shopper: Shopper) =>
  (await shopper.history()).map(({ amount, coupon_code }) => [amount, coupon_code]);

describe('plans with the test processor', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startShop();
  });
  afterAll(() => api.stop());

  it('are listed as they are sold', async () => {
    const shopper = await Shopper.of(api);
    const { status, body } = await shopper.get('plans/');
    expect(status).toBe(200);
    const { plans, current, yearly_discount_percent } = body as {
      plans: Record<string, unknown>[];
      current: unknown;
      yearly_discount_percent: number;
    };
    expect([current, yearly_discount_percent]).toEqual([null, 20]);
    expect(plans.map(({ code }) => code)).toEqual(['starter', 'trial', 'pro', 'big']);
    expect(plans[2]).toEqual({
      code: 'pro',
      name: 'Pro',
      tier: 'pro',
      description: '',
      currency: 'EUR',
      monthly_price: '79.00',
      yearly_price: '758.40',
      trial_days: 0,
      seats: { min: 2, max: 50, adjustable: true },
      support_tier: 'community',
      contact_sales: false,
      features: expect.objectContaining({ chat_ai: true, rbac: true, byo_llm: false }),
      limits: {
        monthly_workflow_runs: null,
        included_tokens: null,
        storage_bytes: 1024 ** 3,
        run_history_days: 90,
        live_build_sessions: 9,
      },
      is_current: false,
    });
  });

  it('are bought on the pay page, which charges nothing before', async () => {
    const shopper = await Shopper.of(api);
    const opened = await shopper.mustOrder({ plan_code: 'starter' });
    expect(opened).toEqual({
      url: expect.stringMatching(/^https:\/\/api\.example\/billing\/test\/checkout\/tcs_[\w-]{43}\/$/),
      checkout_url: opened.url,
      session_id: expect.stringMatching(/^tcs_/),
      expires_at: expect.any(String),
    });
    const hours = (Date.parse(opened.expires_at) - Date.now()) / 3_600_000;
    expect(hours > 22.9 && hours <= 23).toBe(true);
    expect(await shopper.current()).toMatchObject({
      subscription: null,
      plan: null,
      order: { status: 'incomplete', plan_code: 'starter', owner_type: 'user', owner: true },
      checkout_url: opened.url,
    });

    const page = await shopper.page(opened.url);
    expect(page.status).toBe(200);
    expect(page.body).toMatch(/<html lang="en" dir="ltr">[\s\S]*29\.00 EUR[\s\S]*Pay/);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'nonce-[\w+/=]+'; form-action 'self' https:\/\/app\.example; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');

    const declined = await shopper.press(opened.url, 'decline');
    expect([declined.status, declined.headers.get('location')]).toEqual([303, './?declined=1']);
    const left = await shopper.press(opened.url, 'leave');
    expect(left.headers.get('location')).toBe(`${RETURN_URL}?billing=cancelled`);
    expect((await shopper.current()).subscription).toBeNull();

    const paid = await shopper.press(opened.url, 'pay');
    expect([paid.status, paid.headers.get('location')]).toEqual([303, `${RETURN_URL}?billing=success`]);
    expect(await shopper.current()).toMatchObject({
      subscription: { status: 'active', plan_code: 'starter', seats: 1, trial_end: null, canceled_at: null },
      plan: { code: 'starter', is_current: true },
      order: null,
      checkout_url: null,
    });
    expect(await shopper.history()).toEqual([
      expect.objectContaining({
        plan_code: 'starter',
        plan_name: 'Starter',
        amount: '29.00',
        currency: 'EUR',
        status: 'paid',
      }),
    ]);
    // Paid once, however often the button is pressed.
    await Promise.all(Array.from({ length: 5 }, () => shopper.press(opened.url, 'pay')));
    expect(await shopper.history()).toHaveLength(1);
    expect((await shopper.page(opened.url)).body).toContain('This order is paid.');
    expect(await shopper.order({ plan_code: 'starter' })).toMatchObject({
      status: 409,
      body: { code: 'subscription_exists' },
    });
  });

  it('speak Arabic to whoever does', async () => {
    const shopper = await Shopper.of(api);
    await shopper.sql(`UPDATE users SET language = 'ar' WHERE username = $1`, [shopper.client.username]);
    const { url } = await shopper.mustOrder({ plan_code: 'starter' });
    expect((await shopper.page(url)).body).toMatch(/<html lang="ar" dir="rtl">[\s\S]*ادفع/);
    const gone = await shopper.page('https://api.example/billing/test/checkout/tcs_guessed/', {
      'accept-language': 'ar-EG,en;q=0.5',
    });
    expect([gone.status, String(gone.body).includes('dir="rtl"')]).toEqual([404, true]);
    for (const id of ['%00', 'tcs_%00', "tcs_'", `tcs_${'x'.repeat(43)}`, 'x'.repeat(5000)])
      for (const place of ['checkout', 'portal', 'invoices']) {
        expect((await call(`${api.baseUrl}/billing/test/${place}/${id}/`)).status).toBe(404);
        if (place === 'invoices') continue;
        const pressed = await shopper.press(`https://api.example/billing/test/${place}/${id}/`, 'leave');
        expect(pressed.status).toBe(404);
      }
    for (const action of ['', 'steal']) expect((await shopper.press(url, action)).status).toBe(400);
  });

  it('say in words what is wrong with an order', async () => {
    const shopper = await Shopper.of(api);
    for (const [order, field, words] of [
      [{ plan_code: 'nothing' }, 'plan_code', 'There is no plan "nothing".'],
      [{ plan_code: 'old' }, 'plan_code', 'The plan "Old" is no longer sold.'],
      [{ plan_code: 'big' }, 'plan_code', 'The plan "Enterprise" is sold by our sales team: please contact them.'],
      [{}, 'plan_code', 'This field is required.'],
      [{ plan_code: 'pro', billing_period: 'weekly' }, 'billing_period', '"weekly" is not a valid choice.'],
      [{ plan_code: 'pro', seats: 0 }, 'seats', /1 at least/],
      [{ plan_code: 'pro', seats: -1 }, 'seats', /1 at least/],
      [{ plan_code: 'pro', seats: 1 }, 'seats', 'The plan "Pro" has 2 seats at least.'],
      [{ plan_code: 'pro', seats: 10 ** 9 }, 'seats', 'The plan "Pro" has 50 seats at most.'],
      [{ plan_code: 'pro', seats: 10 ** 12 }, 'seats', /./],
      [{ plan_code: 'pro', seats: 2.5 }, 'seats', 'A valid integer is required.'],
      [{ plan_code: 'pro', seats: 'many' }, 'seats', 'A valid integer is required.'],
      [{ plan_code: 'starter', seats: 2 }, 'seats', 'The plan "Starter" has one seat.'],
      [{ plan_code: 'starter', coupon_code: 'NOPE' }, 'coupon_code', 'There is no such coupon.'],
      [{ plan_code: 'starter', coupon_code: 'GONE' }, 'coupon_code', 'This coupon has expired.'],
      [{ plan_code: 'starter', coupon_code: 'FORPRO' }, 'coupon_code', 'This coupon is not for the plan "Starter".'],
    ] as const) {
      const { status, body } = await shopper.order(order);
      expect([order, status, body]).toEqual([
        order,
        400,
        { [field]: [typeof words === 'string' ? words : expect.stringMatching(words)] },
      ]);
    }
    for (const path of ['change/', 'cancel/'])
      expect(await shopper.post(path, { plan_code: 'pro' })).toMatchObject({
        status: 404,
        body: { code: 'no_active_subscription' },
      });
    expect(await shopper.post('portal-session/')).toMatchObject({
      status: 404,
      body: { code: 'no_active_subscription' },
    });
    expect(await shopper.history()).toEqual([]);
    expect((await call(`${api.baseUrl}/subscriptions/plans/`)).status).toBe(401);
  });

  it('reuse the pay page of the same order, and close the former one of another', async () => {
    const shopper = await Shopper.of(api);
    const first = await shopper.mustOrder({ plan_code: 'starter' });
    expect(await shopper.mustOrder({ plan_code: 'starter' })).toEqual(first);
    const second = await shopper.mustOrder({ plan_code: 'starter', billing_period: 'yearly' });
    expect(second.session_id).not.toBe(first.session_id);
    expect((await shopper.press(first.url, 'pay')).headers.get('location')).toBe('./');
    expect((await shopper.page(first.url)).body).toContain('This page has closed. Nothing was charged.');
    await shopper.press(second.url, 'pay');
    expect((await shopper.history()).map(({ amount }) => amount)).toEqual(['278.40']);
    const rows = await shopper.sql<{ status: string }[]>(
      'SELECT status FROM subscriptions WHERE owner_user_id = $1 ORDER BY created_at',
      [await shopper.userId()],
    );
    expect(rows.map(({ status }) => status)).toEqual(['incomplete_expired', 'active']);
  });

  it('count when they were paid though no event told of it', async () => {
    const shopper = await Shopper.of(api);
    const { session_id } = await shopper.mustOrder({ plan_code: 'starter' });
    // What the processor does, without its event.
    await shopper.sql(
      `WITH customer AS (INSERT INTO billing_test_customers (id, email) VALUES ('tcus_' || $1, '') RETURNING id),
       subscription AS (
         INSERT INTO billing_test_subscriptions (id, reference, customer_id, status, plan_code, plan_name, period, seats,
           unit_amount, currency, anchor_at, period_start, period_end)
         SELECT 'tsub_' || $1, c.reference, customer.id, 'active', 'starter', 'Starter', 'monthly', 1, 2900, 'EUR', now(), now(),
           now() + interval '1 month' FROM billing_test_checkouts c, customer WHERE c.id = $1 RETURNING id, customer_id)
       UPDATE billing_test_checkouts SET status = 'complete', subscription_id = subscription.id, customer_id = subscription.customer_id
       FROM subscription WHERE billing_test_checkouts.id = $1`,
      [session_id],
    );
    const took = stopwatch();
    await until(async () => (await shopper.current()).subscription?.status === 'active');
    expect(took()).toBeLessThan(5000);
  });

  it('are cancelled at once, once', async () => {
    const shopper = await Shopper.of(api);
    await shopper.buy({ plan_code: 'starter' });
    const { status, body } = await shopper.post('cancel/', { reason: 'Too dear.' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      message: 'The plan was cancelled.',
      subscription: { status: 'canceled', canceled_at: expect.any(String), owner: true },
      entitlements: { owner_type: 'none' },
    });
    expect(await shopper.post('cancel/')).toMatchObject({ status: 404, body: { code: 'no_active_subscription' } });
    expect((await shopper.current()).subscription).toBeNull();
    expect((await shopper.get('plans/')).body).toMatchObject({ current: null });
    const address = `${shopper.client.username}@test.example`;
    await until(async () =>
      (await mailsTo(api, address)).some(({ subject }) => subject === 'Your plan “Starter” was cancelled'),
    );
    // It can be bought again.
    expect(await shopper.buy({ plan_code: 'starter' })).toMatchObject({ status: 'active' });
  });

  it('change at once, what was paid reckoned in', async () => {
    const shopper = await Shopper.of(api);
    await shopper.buy({ plan_code: 'pro', seats: 2 });
    const more = await shopper.post('change/', { plan_code: 'pro', seats: 4 });
    expect(more).toMatchObject({
      status: 200,
      body: { subscription: { plan_code: 'pro', seats: 4, status: 'active' } },
    });
    const [change, first] = await shopper.history();
    expect([first!.amount, change!.amount]).toEqual(['158.00', '158.00']);
    expect((await shopper.post('change/', { plan_code: 'pro', seats: 4 })).status).toBe(200);
    expect(await shopper.history()).toHaveLength(2);
    // Fewer give credit, which the next payment uses up.
    await shopper.post('change/', { plan_code: 'pro', seats: 2 });
    expect((await shopper.history())[0]).toMatchObject({ amount: '0.00', status: 'paid' });
    await shopper.atPortal('advance');
    expect((await shopper.history())[0]).toMatchObject({ amount: '0.00', status: 'paid' });
    await shopper.atPortal('advance');
    expect((await shopper.history())[0]).toMatchObject({ amount: '158.00', status: 'paid' });
    for (const [change, field] of [
      [{ plan_code: 'pro', seats: 0 }, 'seats'],
      [{ plan_code: 'pro', seats: 51 }, 'seats'],
      [{ plan_code: 'big', seats: 1 }, 'plan_code'],
      [{ plan_code: 'nothing', seats: 1 }, 'plan_code'],
      [{ seats: 3 }, 'plan_code'],
    ] as const)
      expect(await shopper.post('change/', change)).toMatchObject({
        status: 400,
        body: { [field]: [expect.any(String)] },
      });
    const down = await shopper.post('change/', { plan_code: 'starter' });
    expect(down).toMatchObject({ status: 200, body: { subscription: { plan_code: 'starter', seats: 1 } } });
  });

  it('take coupons off, once or for ever', async () => {
    const [once, always] = [await Shopper.of(api), await Shopper.of(api)];
    await once.buy({ plan_code: 'starter', coupon_code: ' half ' });
    await always.buy({ plan_code: 'starter', coupon_code: 'ALWAYS' });
    for (const shopper of [once, always]) await shopper.atPortal('advance');
    expect(await amountsOf(once)).toEqual([
      ['29.00', null],
      ['14.50', 'HALF'],
    ]);
    expect(await amountsOf(always)).toEqual([
      ['20.00', 'ALWAYS'],
      ['20.00', 'ALWAYS'],
    ]);
  });

  it('try for nothing, once, and charge when the trial ends', async () => {
    const shopper = await Shopper.of(api);
    const { url } = await shopper.mustOrder({ plan_code: 'trial' });
    expect((await shopper.page(url)).body).toContain('10.00 EUR when the trial of 14 days is over');
    await shopper.press(url, 'pay');
    const { subscription } = await shopper.current();
    expect(subscription).toMatchObject({ status: 'trialing', trial_end: expect.any(String) });
    expect(Math.round((Date.parse(subscription!.trial_end!) - Date.now()) / 86_400_000)).toBe(14);
    expect(await shopper.history()).toEqual([]);
    await shopper.atPortal('advance');
    expect((await shopper.current()).subscription).toMatchObject({ status: 'active' });
    expect((await shopper.history()).map(({ amount }) => amount)).toEqual(['10.00']);
    await shopper.post('cancel/');
    expect(await shopper.buy({ plan_code: 'trial' })).toMatchObject({ status: 'active' });
  });

  it('stay open while a payment fails, expire when no try is left, and come back when it is paid', async () => {
    const shopper = await Shopper.of(api);
    await shopper.buy({ plan_code: 'trial' });
    await shopper.atPortal('fail_next', 'advance');
    const status = async () => (await shopper.current()).subscription?.status;
    expect(await status()).toBe('past_due');
    const address = `${shopper.client.username}@test.example`;
    await until(async () => JSON.stringify(await mailsTo(api, address)).includes('failed'));
    expect((await shopper.history())[0]).toMatchObject({ amount: '10.00', status: 'failed' });
    expect(await shopper.post('change/', { plan_code: 'starter' })).toMatchObject({
      status: 409,
      body: { code: 'payment_open' },
    });
    await shopper.atPortal('advance', 'advance');
    expect(await status()).toBe('past_due');
    await shopper.atPortal('advance');
    expect(await status()).toBe('unpaid');
    expect(await shopper.order({ plan_code: 'starter' })).toMatchObject({ status: 409 });
    await shopper.atPortal('pay_open');
    expect(await status()).toBe('unpaid');
    await shopper.atPortal('pay_next', 'pay_open');
    expect(await status()).toBe('active');
    expect((await shopper.history())[0]).toMatchObject({ status: 'paid' });
    const { url } = await shopper.client.post<{ url: string }>('/subscriptions/portal-session/', {});
    const portal = await shopper.page(url);
    expect(portal.body).toMatch(/Tried – active[\s\S]*TEST-\d{8}-/);
    const [invoice] = await shopper.history();
    expect((await shopper.page(invoice!.invoice_url)).body).toContain('10.00 EUR');
    expect((await shopper.press(url, 'leave')).headers.get('location')).toBe(`${RETURN_URL}?billing=portal`);
  });

  it('say that the processor did not do it, and lose nothing', async () => {
    const shopper = await Shopper.of(api);
    const { id } = await shopper.buy({ plan_code: 'starter' });
    await shopper.sql(`UPDATE subscriptions SET processor_subscription_id = 'tsub_gone-' || id WHERE id = $1`, [id]);
    for (const answer of [await shopper.post('cancel/'), await shopper.post('change/', { plan_code: 'pro', seats: 2 })])
      expect(answer).toMatchObject({ status: 502, body: { code: 'payment_processor_error' } });
    expect((await shopper.current()).subscription).toMatchObject({ id, status: 'active', plan_code: 'starter' });
  });

  it('end with the account, and their invoices stay without the name', async () => {
    const shopper = await Shopper.of(api);
    const { id } = await shopper.buy({ plan_code: 'starter' });
    const customers = () =>
      shopper.sql<{ status: string; email: string; canceled: string; owner: number | null }[]>(
        `SELECT o.status, c.email, s.status AS canceled, o.owner_user_id AS owner FROM subscriptions o
         JOIN billing_test_subscriptions s ON s.id = o.processor_subscription_id
         JOIN billing_test_customers c ON c.id = s.customer_id WHERE o.id = $1`,
        [id],
      );
    expect((await customers())[0]).toMatchObject({
      status: 'active',
      email: `${shopper.client.username}@test.example`,
    });
    expect((await shopper.client.send('DELETE', '/users/delete/')).status).toBe(200);
    await until(async () => (await customers())[0]!.owner === null);
    expect(await customers()).toEqual([{ status: 'canceled', email: '', canceled: 'canceled', owner: null }]);
    const invoices = await shopper.sql<object[]>(
      `SELECT i.amount FROM billing_test_invoices i JOIN billing_test_subscriptions s ON s.id = i.subscription_id WHERE s.reference = $1`,
      [id],
    );
    expect(invoices).toHaveLength(1);
  });

  inAll('are renewed, and orders closed, by the workflow-runner', async () => {
    const [payer, waiting] = [await Shopper.of(api), await Shopper.of(api)];
    const { id } = await payer.buy({ plan_code: 'starter' });
    await waiting.mustOrder({ plan_code: 'starter' });
    await payer.sql(`UPDATE billing_test_subscriptions SET due_at = now() WHERE reference = $1`, [id]);
    await waiting.sql(
      `UPDATE subscriptions SET checkout_expires_at = now(), updated_at = now() - interval '1 minute' WHERE owner_user_id = $1`,
      [await waiting.userId()],
    );
    await api.hostRunner();
    await until(async () => (await payer.history()).length === 2);
    const closed = () =>
      waiting.sql<{ status: string }[]>(
        'SELECT o.status FROM subscriptions o JOIN users u ON u.id = o.owner_user_id WHERE u.username = $1',
        [waiting.client.username],
      );
    await until(async () => (await closed())[0]!.status === 'incomplete_expired');
  });

  inAll('keep what somebody has when the plan leaves the file', async () => {
    const shopper = await Shopper.of(api);
    await shopper.buy({ plan_code: 'starter' });
    const later = await api.startReplica({ PLANS_FILE: writePlans(PLANS.replace('code: starter', 'code: fresh')) });
    try {
      const there = new Shopper(later, shopper.client);
      const { plans, current } = (await there.get('plans/')).body as { plans: { code: string }[]; current: object };
      expect(plans.map(({ code }) => code)).not.toContain('starter');
      expect(current).toMatchObject({ plan_code: 'starter', status: 'active' });
      expect((await there.get('current/')).body).toMatchObject({ plan: { code: 'starter', monthly_price: '29.00' } });
      expect(await there.order({ plan_code: 'starter' })).toMatchObject({ status: 400 });
    } finally {
      await later.stop();
    }
  });
});

describe('plans of organisations', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startShop();
  });
  afterAll(() => api.stop());

  it('are bought, changed and cancelled by owners alone, and fill the pool of all', async () => {
    const [owner, member] = [await Shopper.of(api), await Shopper.of(api)];
    const organization = await owner.join('owner');
    await member.join('member', organization);
    const { url } = await owner.mustOrder({ plan_code: 'pro', seats: 3 });
    expect(await member.order({ plan_code: 'pro' })).toMatchObject({ status: 403, body: { code: 'not_plan_owner' } });
    await owner.press(url, 'pay');
    const of = { plan_code: 'pro', owner_type: 'organization', seats: 3 };
    expect((await owner.current()).subscription).toMatchObject({ ...of, owner: true });
    expect((await member.current()).subscription).toMatchObject({ ...of, owner: false });
    const seats = async () =>
      (
        await owner.sql<[{ plan_seats: number | null }]>('SELECT plan_seats FROM organizations WHERE id = $1', [
          organization,
        ])
      )[0].plan_seats;
    expect(await seats()).toBe(3);
    for (const answer of [
      await member.order({ plan_code: 'starter' }),
      await member.post('change/', { plan_code: 'pro', seats: 9 }),
      await member.post('cancel/'),
      await member.post('portal-session/'),
    ])
      expect(answer).toMatchObject({ status: 403, body: { code: 'not_plan_owner' } });
    expect(await member.history()).toEqual([]);
    expect(await owner.order({ plan_code: 'starter' })).toMatchObject({
      status: 409,
      body: { code: 'subscription_exists' },
    });

    // No fewer seats than members.
    const third = await Shopper.of(api);
    await third.join('member', organization);
    expect(await owner.post('change/', { plan_code: 'pro', seats: 2 })).toMatchObject({
      status: 400,
      body: { seats: ['Your organization has 3 members, so 3 seats are needed at least.'] },
    });
    expect((await owner.post('change/', { plan_code: 'pro', seats: 5 })).status).toBe(200);
    expect(await seats()).toBe(5);
    // Another owner decides, too.
    await third.join('owner', organization);
    expect(await third.history()).toHaveLength(2);
    expect((await third.post('cancel/')).status).toBe(200);
    expect(await seats()).toBeNull();
    expect((await member.current()).subscription).toBeNull();
  });

  it('can be cancelled by who bought them and left', async () => {
    const [buyer, other] = [await Shopper.of(api), await Shopper.of(api)];
    const organization = await buyer.join('owner');
    await other.join('owner', organization);
    await buyer.buy({ plan_code: 'pro', seats: 2 });
    const next = await buyer.join('member');
    const boss = await Shopper.of(api);
    await boss.join('owner', next);
    await boss.buy({ plan_code: 'pro' });
    expect((await buyer.post('change/', { plan_code: 'pro', seats: 3 })).body).toMatchObject({
      code: 'not_plan_owner',
    });
    expect(await buyer.post('cancel/')).toMatchObject({
      status: 200,
      body: { subscription: { owner_type: 'organization', owner: false } },
    });
    expect((await other.current()).subscription).toBeNull();
    expect((await boss.current()).subscription).toMatchObject({ status: 'active' });
    expect((await buyer.post('cancel/')).body).toMatchObject({ code: 'not_plan_owner' });
  });

  inAll('take over what an owner had alone, and give it back', async () => {
    const owner = await Shopper.of(api);
    await owner.buy({ plan_code: 'starter' });
    const organization = await owner.join('owner');
    const colleague = await Shopper.of(api);
    await colleague.join('member', organization);
    expect((await colleague.current()).subscription).toBeNull();
    expect((await owner.post('change/', { plan_code: 'pro', seats: 2 })).status).toBe(200);
    expect((await colleague.current()).subscription).toMatchObject({ plan_code: 'pro', owner_type: 'organization' });
    expect((await owner.post('change/', { plan_code: 'starter' })).status).toBe(200);
    expect((await colleague.current()).subscription).toBeNull();
    expect((await owner.current()).subscription).toMatchObject({ plan_code: 'starter', owner_type: 'user' });
  });

  inAll('come along into the organisation that their buyer makes, and back when it ends', async () => {
    const [owner, colleague] = [await Shopper.of(api), await Shopper.of(api)];
    expect(await owner.buy({ plan_code: 'pro', seats: 2 })).toMatchObject({ owner_type: 'user' });
    await owner.sql('UPDATE users SET email_verified = true WHERE id = $1', [await owner.userId()]);
    const made = await owner.client.post<{ id: number }>('/organisations/', { name: 'Acme' });
    expect(made).toMatchObject({ plan_code: 'pro', seats: { used: 1, limit: 2 } });
    expect((await owner.current()).subscription).toMatchObject({ plan_code: 'pro', owner_type: 'organization' });
    await colleague.join('member', made.id);
    const me = await colleague.client.get<{ info: { entitlements: object } }>('/users/me/');
    expect(me.info.entitlements).toMatchObject({ owner_type: 'organization' });

    const end = () => owner.client.send('DELETE', '/organisations/current/');
    expect((await end()).status).toBe(409);
    await owner.client.send('DELETE', `/organisations/current/members/${await colleague.userId()}/`);
    expect((await end()).status).toBe(204);
    expect((await owner.current()).subscription).toMatchObject({ plan_code: 'pro', owner_type: 'user', owner: true });
    expect((await owner.post('cancel/')).status).toBe(200);
  });

  it('keep their organisation from ending while somebody else pays, or the last one has another', async () => {
    const [owner, other] = [await Shopper.of(api), await Shopper.of(api)];
    await owner.buy({ plan_code: 'starter' });
    const organization = await owner.join('owner');
    await other.join('owner', organization);
    await other.buy({ plan_code: 'pro', seats: 2 });
    await other.client.send('DELETE', '/organisations/current/members/me/');
    const end = async () => (await owner.client.send('DELETE', '/organisations/current/')).json();
    expect(await end()).toMatchObject({ code: 'organization_has_plan' });
    await owner.sql('UPDATE subscriptions SET owner_user_id = $2 WHERE organization_id = $1', [
      organization,
      await owner.userId(),
    ]);
    expect(await end()).toMatchObject({ code: 'organization_has_plan' });
    expect((await owner.current()).subscription).toMatchObject({ plan_code: 'pro', owner_type: 'organization' });
  });
});

describe('without billing', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  it('each route says so, and no page is there', async () => {
    const shopper = await Shopper.of(api);
    for (const answer of [
      await shopper.get('plans/'),
      await shopper.get('current/'),
      await shopper.get('history/'),
      await shopper.order({ plan_code: 'pro' }),
      await shopper.post('change/', { plan_code: 'pro' }),
      await shopper.post('cancel/'),
      await shopper.post('portal-session/'),
    ])
      expect(answer).toMatchObject({ status: 404, body: { code: 'billing_not_available' } });
    expect((await call(`${api.baseUrl}/billing/test/checkout/x/`)).status).toBe(404);
  });
});

inAll('without an address to come back to, nothing is sold for money', async () => {
  const api = await startApi({
    BILLING: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_never',
    STRIPE_WEBHOOK_SECRET: 'whsec_never',
  });
  try {
    const shopper = await Shopper.of(api);
    expect(await shopper.order({ plan_code: 'starter' })).toMatchObject({
      status: 503,
      body: { code: 'billing_not_configured' },
    });
  } finally {
    await api.stop();
  }
});
