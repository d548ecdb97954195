import { AuditModule } from '@app/audit';
import type { Principal } from '@app/auth';
import { BillingModule, Checkouts, TestPayer } from '@app/billing';
import { Clock, newId } from '@app/common';
import { EntitlementsModule, findSubscriptionRow, PlanCatalog, type SubscriptionRow } from '@app/entitlements';
import { DatabaseModule } from '@app/entities';
import { PaymentProcessor } from '@app/integrations';
import { LiveModule } from '@app/live';
import { MessagesModule } from '@app/messages';
import { QueuesModule } from '@app/queues';
import { SecretsModule } from '@app/secrets';
import { WorkModule } from '@app/work';
import { Test, type TestingModule } from '@nestjs/testing';
import { PLANS, RETURN_URL, writePlans } from './billing.js';
import { testConfig } from './config.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { SteppedClock } from './stepped-clock.js';

type Role = 'owner' | 'admin' | 'member';
type Wanted = Parameters<Checkouts['open']>[1];

/** What sells these plans, with the test processor and without an api: its time stands still unless a test moves it. */
export class Till {
  private people = 0;

  private constructor(
    readonly database: TestDatabase,
    readonly app: TestingModule,
    readonly clock: SteppedClock,
  ) {}

  static async open(plans = PLANS): Promise<Till> {
    const database = await createTestDatabase();
    const config = testConfig(database.url, {
      BILLING: 'test',
      PLANS_FILE: writePlans(plans),
      BILLING_RETURN_URL: RETURN_URL,
      PUBLIC_URL: 'https://api.example',
      SWEEP_SECONDS: '600',
    });
    const clock = new SteppedClock(Date.now());
    const imports = [
      DatabaseModule.forRoot(config, 'test'),
      WorkModule.forRoot(config, 'test'),
      QueuesModule.forRoot(config, {}),
      LiveModule.forRoot(config),
      SecretsModule.forRoot(config),
      AuditModule,
      MessagesModule,
      EntitlementsModule.forRoot(config),
      BillingModule.forRoot(config),
    ];
    const app = await Test.createTestingModule({ imports }).overrideProvider(Clock).useValue(clock).compile();
    app.useLogger(false);
    await app.init();
    return new Till(database, app, clock);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.database.drop();
  }

  get<T>(type: abstract new (...parts: never[]) => T): T {
    return this.app.get<T>(type as never, { strict: false });
  }

  get processor(): PaymentProcessor {
    return this.get(PaymentProcessor);
  }

  get payer(): TestPayer {
    return this.get(TestPayer);
  }

  get catalog(): PlanCatalog {
    return this.get(PlanCatalog);
  }

  sql<T>(text: string, values: unknown[] = []): Promise<T> {
    return this.database.dataSource.query<T>(text, values);
  }

  async organization({ personal = false } = {}): Promise<number> {
    const [{ id }] = await this.sql<[{ id: number }]>(
      `INSERT INTO organizations (name, personal) VALUES ('Acme', $1) RETURNING id`,
      [personal],
    );
    return id;
  }

  /** Somebody new, in an organisation when one is told. */
  async person(organizationId: number | null = null, role: Role = 'owner'): Promise<Principal> {
    this.people += 1;
    const username = `payer${this.people}`;
    const email = `${username}@test.example`;
    const [{ id: userId }] = await this.sql<[{ id: number }]>(
      'INSERT INTO users (username, email, organization_id, organization_role) VALUES ($1, $2, $3, $4) RETURNING id',
      [username, email, organizationId, role],
    );
    return { userId, username, email, sessionId: newId(), isStaff: false, organizationId, scopes: null };
  }

  async moveTo({ userId }: Principal, organizationId: number | null, role: Role = 'owner'): Promise<void> {
    await this.sql('UPDATE users SET organization_id = $2, organization_role = $3 WHERE id = $1', [
      userId,
      organizationId,
      role,
    ]);
  }

  /** One seat of the plan "starter" by month, unless told. */
  order(viewer: Principal, wanted: Partial<Wanted> = {}) {
    return this.get(Checkouts).open(viewer, { planCode: 'starter', billingPeriod: 'monthly', ...wanted });
  }

  /** Orders, and pays at once. */
  async buy(viewer: Principal, wanted: Partial<Wanted> = {}): Promise<SubscriptionRow> {
    const { id } = await this.order(viewer, wanted);
    await this.payer.pay(id);
    return this.rowOfPage(id);
  }

  async row(id: string): Promise<SubscriptionRow> {
    const row = await findSubscriptionRow(this.database.dataSource, id);
    if (row === null) throw new Error(`There is no subscription ${id}.`);
    return row;
  }

  async rowOfPage(checkoutId: string): Promise<SubscriptionRow> {
    const [found] = await this.sql<{ id: string }[]>('SELECT id FROM subscriptions WHERE processor_checkout_id = $1', [
      checkoutId,
    ]);
    return this.row(found!.id);
  }

  /** What the person ordered, the oldest first. */
  async rowsOf({ userId }: Principal): Promise<SubscriptionRow[]> {
    const found = await this.sql<{ id: string }[]>(
      'SELECT id FROM subscriptions WHERE owner_user_id = $1 ORDER BY created_at, id',
      [userId],
    );
    return Promise.all(found.map(({ id }) => this.row(id)));
  }

  /** What people do at the portal of the processor. */
  portalOf({ processorCustomerId }: SubscriptionRow) {
    return { id: '', customerId: processorCustomerId!, returnUrl: '' };
  }

  /** Who did what to it, the oldest first. */
  async audited(id: string): Promise<{ action: string; actor: string | null; details: object }[]> {
    return this.sql(
      `SELECT event->>'action' AS action, event->'personal'->>'actor' AS actor, event->'personal'->'details' AS details
       FROM audit_inbox WHERE event->'personal'->>'target' = $1 ORDER BY id`,
      [`subscription:${id}`],
    );
  }
}
