import { newId } from '@app/common';
import { builtInPro } from '../support/payment-plans.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { createUserRow } from '../support/documents.js';
import { orderOf } from '../support/payment-processor-contract.js';
import { StripePaymentProcessor } from '@app/integrations/stripe';
import { StripeServer } from '../support/stripe/stripe-server.js';
import { stopwatch } from '../support/timing.js';
import { until } from '../support/until.js';

describe('POST /subscriptions/webhook/', () => {
  let stripe: StripeServer;
  let platform: HostedPlatform;
  beforeAll(async () => {
    stripe = await StripeServer.start();
    platform = await hostPlatform(['api', 'workflow-runner'], {
      BILLING: 'stripe',
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_API_URL: stripe.url,
      // Nobody is kept waiting by a sweep.
      SWEEP_SECONDS: '600',
    });
  });
  afterAll(async () => {
    await platform.stop();
    await stripe.stop();
  });

  async function send(body: string | Buffer, headers: Record<string, string> = {}) {
    const response = await fetch(`${platform.baseUrl}/subscriptions/webhook/`, {
      method: 'POST',
      body: new Uint8Array(Buffer.from(body)),
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: JSON.parse(text) as Record<string, unknown> };
  }
  const signed = (body: string, given: { at?: number; secret?: string } = {}) => ({
    'stripe-signature': stripe.sign({ body }, given),
  });
  const stored = async () =>
    (await platform.database.dataSource.query<[{ n: number }]>('SELECT count(*)::int AS n FROM payment_events'))[0].n;

  async function paid() {
    const id = newId();
    const owner = await createUserRow(platform.database);
    const plan = builtInPro();
    const page = await new StripePaymentProcessor(stripe.settings).openCheckout(
      orderOf({ reference: id, planCode: plan.code }),
    );
    await platform.database.dataSource.query(
      `INSERT INTO subscriptions (id, owner_user_id, status, plan_code, plan, billing_period, seats, processor, processor_checkout_id)
       VALUES ($1, $2, 'incomplete', $3, $4, 'monthly', 3, 'stripe', $5)`,
      [id, owner, plan.code, JSON.stringify(plan), page.id],
    );
    const from = stripe.account.events.length;
    stripe.account.pay(page.id);
    return { id, told: stripe.account.events.slice(from) };
  }

  it('has a plan active within a second of the payment', async () => {
    const { id, told } = await paid();
    const elapsed = stopwatch();
    for (const { body } of told) expect(await send(body, signed(body))).toMatchObject({ status: 200 });
    await until(async () => {
      const [row] = await platform.database.dataSource.query<[{ status: string }]>(
        'SELECT status FROM subscriptions WHERE id = $1',
        [id],
      );
      return row.status === 'active';
    });
    expect(elapsed()).toBeLessThan(1000);
  });

  it('says that it was received, also a second time and for what concerns nothing here', async () => {
    const [event] = (await paid()).told;
    const before = await stored();
    for (let time = 0; time < 3; time += 1) {
      const answer = await send(event!.body, signed(event!.body));
      expect([answer.status, answer.body]).toEqual([200, { received: true }]);
      expect(answer.headers.get('ratelimit')).toBeNull();
    }
    const other = JSON.stringify({ id: newId(), object: 'event', type: 'x', created: 1, data: { object: {} } });
    expect((await send(other, signed(other))).body).toEqual({ received: true });
    expect(await stored()).toBe(before + 2);
  });

  it('takes nothing that was not signed over these bytes, lately', async () => {
    const [event] = (await paid()).told;
    const { body } = event!;
    const before = await stored();
    const refused = { status: 400, body: { error: expect.any(String) as string, code: 'invalid_signature' } };
    const changed = body.replace('"livemode": false', '"livemode":  false');
    expect(changed).not.toBe(body);
    for (const attempt of [
      send(body),
      send(body, { 'stripe-signature': '' }),
      send(body, { 'stripe-signature': 'x' }),
      send(body, { 'stripe-signature': `t=1,${'v1=0,'.repeat(2000)}` }),
      send(body, signed(body, { secret: 'whsec_other' })),
      send(body, signed(body, { at: Date.now() - 6 * 60_000 })),
      send(body, signed(body, { at: Date.now() + 6 * 60_000 })),
      send(changed, signed(body)),
      send(`${body} `, signed(body)),
      send('', signed(body)),
    ])
      expect(await attempt).toMatchObject(refused);
    expect(await stored()).toBe(before);
  });

  it('refuses what it cannot read, and what is too large, without a look at it', async () => {
    const before = await stored();
    expect(await send('{', signed('{'))).toMatchObject({ status: 400, body: { code: 'parse_error' } });
    const noText = Buffer.from([0xff, 0xfe]);
    expect(await send(noText, signed('x'))).toMatchObject({ status: 400, body: { code: 'parse_error' } });
    const large = JSON.stringify({ x: 'x'.repeat(4_000_000) });
    expect((await send(large, signed(large))).status).toBe(413);
    expect((await send('x', { 'content-type': 'text/plain' })).status).toBe(415);
    for (const odd of ['[]', 'null', '1', '{}', '{"id":1}', '{"id":"e","type":"t","created":"x","data":null}'])
      expect(await send(odd, signed(odd))).toMatchObject({ status: 400, body: { code: 'invalid_signature' } });
    expect(await stored()).toBe(before);
  });

  it('takes no session, and writes neither keys nor people into the log', async () => {
    const [event] = (await paid()).told;
    expect((await send(event!.body, { ...signed(event!.body), authorization: 'Token x' })).status).toBe(200);
    for (const secret of [stripe.secretKey, stripe.webhookSecret, 'ada@acme.example'])
      expect(platform.log()).not.toContain(secret);
  });

  it('is not there where nothing is sold', async () => {
    const none = await platform.host('api', { BILLING: 'none' });
    const response = await fetch(`${none.baseUrl}/subscriptions/webhook/`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'billing_not_available' }]);
    await none.stop();
  });
});
