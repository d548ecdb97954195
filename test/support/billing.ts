import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postJson, type Answer, call, startApi, type TestApi } from './api.js';
import type { HttpClient } from './http-client.js';

/** Small amounts, no trial but for one plan, coupons of each kind. */
export const PLANS = `
currency: EUR
free:
  name: Free
  features: [chat_ai]
  limits: { monthly_workflow_runs: 10, included_tokens: 100, storage: 1 MiB, run_history_days: 7, live_build_sessions: 1 }
plans:
  - { code: starter, name: Starter, tier: starter, monthly_price: "29.00", features: [chat_ai, byo_llm],
      limits: { monthly_workflow_runs: 100, included_tokens: 1000, storage: 10 MiB, run_history_days: 30, live_build_sessions: 2 } }
  - { code: trial, name: Tried, tier: starter, monthly_price: "10.00", trial_days: 14, features: [chat_ai],
      limits: { monthly_workflow_runs: 100, included_tokens: 1000, storage: 10 MiB, run_history_days: 30, live_build_sessions: 2 } }
  - { code: pro, name: Pro, tier: pro, monthly_price: "79.00", pool: organization, seats: { min: 2, max: 50, adjustable: true },
      features: [chat_ai, rbac], limits: { monthly_workflow_runs: null, included_tokens: null, storage: 1 GiB, run_history_days: 90, live_build_sessions: 9 } }
  - { code: big, name: Enterprise, tier: enterprise, monthly_price: "990.00", contact_sales: true, features: [],
      limits: { monthly_workflow_runs: null, included_tokens: null, storage: null, run_history_days: 365, live_build_sessions: null } }
  - { code: old, name: Old, tier: starter, monthly_price: "5.00", retired: true, features: [],
      limits: { monthly_workflow_runs: 1, included_tokens: 1, storage: 1 MiB, run_history_days: 1, live_build_sessions: 0 } }
coupons:
  - { code: HALF, percent_off: 50 }
  - { code: ALWAYS, amount_off: "9.00", duration: forever }
  - { code: THREE, percent_off: 10, max_redemptions: 3 }
  - { code: GONE, percent_off: 10, expires_at: "2020-01-01T00:00:00Z" }
  - { code: FORPRO, percent_off: 10, plans: [pro] }
`;

export const RETURN_URL = 'https://app.example/plans';

export function writePlans(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'atrium-plans-')), 'plans.yaml');
  writeFileSync(file, text);
  return file;
}

/** An api that sells these plans, with the test processor. */
export function startShop(overrides: Record<string, string> = {}, plans = PLANS): Promise<TestApi> {
  return startApi({
    BILLING: 'test',
    PLANS_FILE: writePlans(plans),
    BILLING_RETURN_URL: RETURN_URL,
    PUBLIC_URL: 'https://api.example',
    ...overrides,
  });
}

export interface Subscription {
  id: string;
  status: string;
  plan_code: string;
  billing_period: string;
  seats: number;
  trial_end: string | null;
  current_period_end: string | null;
  canceled_at: string | null;
  owner_type: string;
  owner: boolean;
}

export interface Invoice {
  id: string;
  invoice_number: string;
  description: string;
  plan_code: string;
  plan_name: string;
  seats: number;
  amount: string;
  currency: string;
  status: string;
  coupon_code: string | null;
  invoice_url: string;
}

export interface Checkout {
  url: string;
  checkout_url: string;
  session_id: string;
  expires_at: string;
}

/** Somebody with the pages of the test processor open. */
export class Shopper {
  constructor(
    readonly api: TestApi,
    readonly client: HttpClient,
  ) {}

  static async of(api: TestApi): Promise<Shopper> {
    return new Shopper(api, await api.signUp());
  }

  post(path: string, body: unknown = {}): Promise<Answer> {
    return postJson(`${this.api.baseUrl}/subscriptions/${path}`, body, this.headers);
  }

  get(path: string): Promise<Answer> {
    return call(`${this.api.baseUrl}/subscriptions/${path}`, { headers: this.headers });
  }

  order(order: Record<string, unknown>): Promise<Answer> {
    return this.post('checkout-session/', { billing_period: 'monthly', ...order });
  }

  async mustOrder(order: Record<string, unknown>): Promise<Checkout> {
    const { status, body } = await this.order(order);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body as Checkout;
  }

  /** Presses a button of a page, as its form does. */
  press(url: string, action: string, fields: Record<string, string> = {}): Promise<Answer> {
    return call(this.api.baseUrl + new URL(url).pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ action, ...fields }).toString(),
    });
  }

  page(url: string, headers: Record<string, string> = {}): Promise<Answer> {
    return call(this.api.baseUrl + new URL(url).pathname, { headers });
  }

  /** Orders, and pays at once. */
  async buy(order: Record<string, unknown>): Promise<Subscription> {
    const { url } = await this.mustOrder(order);
    const { status } = await this.press(url, 'pay');
    if (status !== 303) throw new Error(`Not paid: ${status}`);
    return (await this.current()).subscription!;
  }

  async current(): Promise<{
    subscription: Subscription | null;
    plan: Record<string, unknown> | null;
    order: Subscription | null;
    checkout_url: string | null;
  }> {
    return this.client.get('/subscriptions/current/');
  }

  async history(): Promise<Invoice[]> {
    return (await this.client.get<{ results: Invoice[] }>('/subscriptions/history/?page_size=100')).results;
  }

  /** Does something at the portal, to the newest subscription of the processor. */
  async atPortal(...actions: string[]): Promise<void> {
    const { url } = await this.client.post<{ url: string }>('/subscriptions/portal-session/', {});
    const [{ id }] = await this.sql<[{ id: string }]>(
      `SELECT s.id FROM billing_test_subscriptions s JOIN subscriptions o ON o.processor_subscription_id = s.id
       JOIN users u ON u.id = o.owner_user_id WHERE u.username = $1 ORDER BY s.created_at DESC LIMIT 1`,
      [this.client.username],
    );
    for (const action of actions) {
      const { status } = await this.press(url, action, { subscription: id });
      if (status !== 303) throw new Error(`${action}: ${status}`);
    }
  }

  async userId(): Promise<number> {
    const [{ id }] = await this.sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      this.client.username,
    ]);
    return id;
  }

  /** Puts the person into an organisation; a new one unless told. */
  async join(role: 'owner' | 'admin' | 'member', organizationId?: number): Promise<number> {
    const id =
      organizationId ??
      (await this.sql<[{ id: number }]>(`INSERT INTO organizations (name) VALUES ('Acme') RETURNING id`))[0].id;
    await this.sql('UPDATE users SET organization_id = $2, organization_role = $3 WHERE username = $1', [
      this.client.username,
      id,
      role,
    ]);
    return id;
  }

  sql<T>(text: string, values: unknown[] = []): Promise<T> {
    return this.api.database.dataSource.query<T>(text, values);
  }

  private get headers(): Record<string, string> {
    return { authorization: `Token ${this.client.token}` };
  }
}
