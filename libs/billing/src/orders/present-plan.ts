import { type PlanBuyer, type Principal } from '@app/auth';
import { listOpenOf, mayAsk, type SubscriptionRow } from '@app/entitlements';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SubscriptionSync } from '../sync/subscription-sync.js';
import { BillingDesk } from './billing-desk.js';
import { findLiveOf, poolFor } from './buying-rights.js';

/** How often at most the processor is asked whether an open pay page was paid. */
const ASK_SECONDS = 1;
/** Whoever waits for an answer does not wait longer for the processor. */
const PATIENCE_MS = 3000;

export interface Present {
  buyer: PlanBuyer;
  /** What the person lives on. */
  live: SubscriptionRow | null;
  /** Their order whose pay page is open. */
  order: SubscriptionRow | null;
}

/** What somebody has now. */
@Injectable()
export class PresentPlan {
  private readonly logger = new Logger(PresentPlan.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly desk: BillingDesk,
    private readonly sync: SubscriptionSync,
  ) {}

  /** An open order is looked after, so that what was just paid counts even when no event told of it. */
  async of(viewer: Principal): Promise<Present> {
    this.desk.offering();
    const buyer = await this.desk.buyer(viewer.userId);
    const order = await this.findOrder(buyer);
    const isOver = order !== null && (await this.refresh(order));
    const { ofOrganization, own } = await findLiveOf(this.dataSource, buyer);
    return { buyer, live: ofOrganization ?? own, order: isOver ? await this.findOrder(buyer) : order };
  }

  private async findOrder(buyer: PlanBuyer): Promise<SubscriptionRow | null> {
    const pools = [poolFor(buyer, { pool: 'organization' }), { userId: buyer.userId }];
    for (const pool of pools) {
      const order = (await listOpenOf(this.dataSource, pool)).find(
        ({ status, ownerUserId, giveBack }) =>
          status === 'incomplete' && ownerUserId === buyer.userId && giveBack === 'none',
      );
      if (order) return order;
    }
    return null;
  }

  /** @returns whether it was asked for */
  private async refresh({ id }: SubscriptionRow): Promise<boolean> {
    if (!(await mayAsk(this.dataSource, id, ASK_SECONDS))) return false;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((done) => (timer = setTimeout(done, PATIENCE_MS)));
    const asked = this.sync.syncRow(id).catch((error: Error) => {
      this.logger.warn(`An order could not be looked after: ${error.message}`);
    });
    await Promise.race([asked, patience]);
    clearTimeout(timer);
    return true;
  }
}
