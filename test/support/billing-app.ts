import { AuditLog } from '@app/audit';
import type { Principal } from '@app/auth';
import { Checkouts, type Portal, SubscriptionSync, TestPayer } from '@app/billing';
import { Clock, newId, SystemClock } from '@app/common';
import { PlanCatalog } from '@app/entitlements';
import { PaymentProcessor } from '@app/integrations';
import { LiveBus } from '@app/live';
import { Messages } from '@app/messages';
import { SoleTasks } from '@app/queues';
import { SealingService } from '@app/secrets';
import { Test, type TestingModule } from '@nestjs/testing';
import { audited } from './audit.js';
import { PLANS, RETURN_URL, writePlans } from './billing.js';
import { billingAtWorkModules } from './billing-modules.js';
import { testConfig } from './config.js';
import { createTestDatabase, type TestDatabase } from './database.js';

export type Wanted = Parameters<Checkouts['open']>[1];

/** What would come back from time to time; a test does it. */
export class NotedTasks {
  readonly all: { name: string; seconds: number; work: () => Promise<void> }[] = [];

  every(name: string, seconds: number, work: () => Promise<void>): void {
    this.all.push({ name, seconds, work });
  }
}

export interface SoldRow {
  id: string;
  status: string;
  plan_code: string;
  billing_period: string;
  seats: number;
  give_back: string;
  organization_id: number | null;
  customer: string | null;
  subscription: string | null;
  checkout: string | null;
  checkout_url: string | null;
  trial_end: Date | null;
  current_period_end: Date | null;
  canceled_at: Date | null;
}

/** Plans that are sold by the test processor, without an api or a runner around them; nothing happens by itself. */
export class BillingApp {
  private accounts = 0;

  protected constructor(
    readonly database: TestDatabase,
    readonly app: TestingModule,
    readonly tasks: NotedTasks,
    readonly clock: Clock,
  ) {}

  static async start(clock: Clock = new SystemClock(), overrides: Record<string, string> = {}): Promise<BillingApp> {
    return new BillingApp(...(await this.build(clock, overrides)));
  }

  protected static async build(
    clock: Clock,
    overrides: Record<string, string>,
  ): Promise<[TestDatabase, TestingModule, NotedTasks, Clock]> {
    const database = await createTestDatabase();
    const config = testConfig(database.url, {
      BILLING: 'test',
      PLANS_FILE: writePlans(PLANS),
      BILLING_RETURN_URL: RETURN_URL,
      PUBLIC_URL: 'https://api.example',
      SWEEP_SECONDS: '60',
      ...overrides,
    });
    const tasks = new NotedTasks();
    const app = await Test.createTestingModule({
      imports: billingAtWorkModules(config),
    })
      .overrideProvider(Clock)
      .useValue(clock)
      .overrideProvider(SoleTasks)
      .useValue(tasks)
      .compile();
    app.useLogger(false);
    return [database, await app.init(), tasks, clock];
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.database.drop();
  }

  get<T>(type: abstract new (...parts: never[]) => T): T {
    return this.app.get<T>(type as never, { strict: false });
  }

  sql<T>(text: string, values: unknown[] = []): Promise<T[]> {
    return this.database.dataSource.query<T[]>(text, values);
  }

  /** Does what comes back under the name once. */
  async turn(name: string): Promise<void> {
    for (const task of this.tasks.all) if (task.name === name) await task.work();
  }

  async organization({ personal = false } = {}): Promise<number> {
    const [row] = await this.sql<{ id: number }>(
      `INSERT INTO organizations (name, personal) VALUES ('Acme', $1) RETURNING id`,
      [personal],
    );
    return row!.id;
  }

  async person(organizationId: number | null = null, role = 'owner'): Promise<Principal> {
    this.accounts += 1;
    const username = `payer${this.accounts}`;
    const [row] = await this.sql<{ id: number }>(
      `INSERT INTO users (username, first_name, email, organization_id, organization_role)
       VALUES ($1, 'Ada', $1 || '@test.example', $2, $3) RETURNING id`,
      [username, organizationId, role],
    );
    return {
      userId: row!.id,
      username,
      email: `${username}@test.example`,
      sessionId: newId(),
      isStaff: false,
      organizationId,
      scopes: null,
    };
  }

  /** One seat of the plan "starter" by month, unless told. */
  order(viewer: Principal, more: Partial<Wanted> = {}) {
    return this.get(Checkouts).open(viewer, { planCode: 'starter', billingPeriod: 'monthly', ...more });
  }

  /** Orders, and pays on the page; an event tells of it. */
  async paid(
    viewer: Principal,
    more: Partial<Wanted> = {},
  ): Promise<SoldRow & { subscription: string; portal: Portal }> {
    const { id } = await this.order(viewer, more);
    await this.get(TestPayer).pay(id);
    const row = await this.rowOf(viewer);
    return { ...row, subscription: row.subscription!, portal: this.portal(row.customer!) };
  }

  /** As somebody who opened one. */
  portal(customerId: string): Portal {
    return { id: '', customerId, returnUrl: '' };
  }

  /** What was bought, the oldest first. */
  rowsOf({ userId }: Pick<Principal, 'userId'>): Promise<SoldRow[]> {
    return this.sql<SoldRow>(
      `SELECT id, status, plan_code, billing_period, seats, give_back, organization_id, processor_customer_id AS customer,
         processor_subscription_id AS subscription, processor_checkout_id AS checkout, checkout_url, trial_end,
         current_period_end, canceled_at
       FROM subscriptions WHERE owner_user_id = $1 ORDER BY created_at, id`,
      [userId],
    );
  }

  async rowOf(viewer: Pick<Principal, 'userId'>): Promise<SoldRow> {
    return (await this.rowsOf(viewer)).at(-1)!;
  }

  /** The sync over a processor of which some answers are others, late, or do not come. */
  syncOver(over: Partial<PaymentProcessor>): SubscriptionSync {
    return new SubscriptionSync(
      this.database.dataSource,
      this.processorBut(over),
      this.get(PlanCatalog),
      this.get(AuditLog),
      this.get(Messages),
      this.get(LiveBus),
      this.get(Clock),
    );
  }

  processorBut(over: Partial<PaymentProcessor>): PaymentProcessor {
    return new Proxy(this.get(PaymentProcessor), {
      get: (target, name) => {
        const value = over[name as keyof PaymentProcessor] ?? (target[name as keyof PaymentProcessor] as unknown);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  /** What the audit log says of a subscription, the oldest first. */
  async audited(id: string) {
    const rows = await audited(this.database.dataSource, { target: `subscription:${id}` });
    return rows.map(({ action, personal }) => ({ action, actor: personal?.actor, details: personal?.details }));
  }

  /** What is being mailed about an account, the oldest first, with what it says. */
  async mailsOf({ userId }: Pick<Principal, 'userId'>) {
    const rows = await this.sql<{
      id: string;
      channel: string;
      template: string;
      language: string;
      recipient: string;
      sealed: Buffer;
    }>(
      `SELECT id, channel, template, language, recipient, params_sealed AS sealed FROM outgoing_messages
       WHERE user_id = $1 ORDER BY created_at, id`,
      [userId],
    );
    const sealing = this.get(SealingService);
    return rows.map(({ id, sealed, ...row }) => ({
      ...row,
      params: JSON.parse(
        sealing.openText(sealed, { table: 'outgoing_messages', column: 'params_sealed', row: id }),
      ) as unknown,
    }));
  }
}
