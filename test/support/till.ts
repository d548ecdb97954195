import type { Principal } from '@app/auth';
import { TestPayer } from '@app/billing';
import { findSubscriptionRow, PlanCatalog, type SubscriptionRow } from '@app/entitlements';
import { PaymentProcessor } from '@app/integrations';
import { BillingApp, type Wanted } from './billing-app.js';
import { PLANS, writePlans } from './billing.js';
import { SteppedClock } from './stepped-clock.js';

/** What sells these plans: its time stands still unless a test moves it, and rows are as the code reads them. */
export class Till extends BillingApp {
  declare readonly clock: SteppedClock;

  static async open(plans = PLANS): Promise<Till> {
    return new Till(...(await this.build(new SteppedClock(Date.now()), { PLANS_FILE: writePlans(plans) })));
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

  async moveTo({ userId }: Principal, organizationId: number | null, role = 'owner'): Promise<void> {
    await this.sql('UPDATE users SET organization_id = $2, organization_role = $3 WHERE id = $1', [
      userId,
      organizationId,
      role,
    ]);
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
    const [found] = await this.sql<{ id: string }>('SELECT id FROM subscriptions WHERE processor_checkout_id = $1', [
      checkoutId,
    ]);
    return this.row(found!.id);
  }

  /** What the person ordered, the oldest first. */
  async subscriptionsOf(viewer: Principal): Promise<SubscriptionRow[]> {
    return Promise.all((await this.rowsOf(viewer)).map(({ id }) => this.row(id)));
  }

  /** What people do at the portal of the processor. */
  portalOf({ processorCustomerId }: SubscriptionRow) {
    return this.portal(processorCustomerId!);
  }
}
