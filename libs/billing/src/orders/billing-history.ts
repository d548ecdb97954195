import type { Principal } from '@app/auth';
import { NotFoundError, type Page, type PageRequest } from '@app/common';
import {
  type BuyingPool,
  findBoughtForOrganization,
  findCustomer,
  listPaid,
  type PaidSubscription,
} from '@app/entitlements';
import { PaymentProcessor, type ProcessorInvoice, UnknownCustomerError } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingDesk } from './billing-desk.js';
import { findLiveOf, notPlanOwner } from './buying-rights.js';

export interface HistoryEntry {
  invoice: ProcessorInvoice;
  subscription: PaidSubscription;
}

/** What was charged, as the processor has it; and where it shows that itself. */
@Injectable()
export class BillingHistory {
  constructor(
    private readonly dataSource: DataSource,
    private readonly desk: BillingDesk,
    private readonly processor: PaymentProcessor,
  ) {}

  /** Of what the person bought, and of the organisation that they are an owner of. The newest first. */
  async list(viewer: Principal, { page, pageSize }: PageRequest): Promise<Page<HistoryEntry>> {
    this.desk.offering();
    const buyer = await this.desk.buyer(viewer.userId);
    const paid = await listPaid(this.dataSource, {
      userId: buyer.userId,
      organizationId: buyer.isOrganizationOwner ? buyer.organizationId : null,
      processor: this.processor.kind,
    });
    const entries: HistoryEntry[] = [];
    for (const subscription of paid) {
      const invoices = await this.desk.asking(() => this.processor.listInvoices(subscription.processorSubscriptionId));
      entries.push(...invoices.map((invoice) => ({ invoice, subscription })));
    }
    entries.sort((a, b) => b.invoice.createdAt - a.invoice.createdAt || (a.invoice.id < b.invoice.id ? 1 : -1));
    return { count: entries.length, items: entries.slice((page - 1) * pageSize, page * pageSize) };
  }

  /**
   * Where cards are changed and open invoices are paid.
   * @throws NotFoundError (`no_active_subscription`) for who never paid, or paid as somebody who is gone, ForbiddenError, BadGatewayError
   */
  async openPortal(viewer: Principal): Promise<{ url: string; expiresAt: number }> {
    this.desk.offering();
    const returnUrl = this.desk.returnUrl('portal');
    const customer = await this.getCustomer(viewer);
    return this.desk.asking(async () => {
      try {
        return await this.processor.openPortal(customer, { returnUrl });
      } catch (error) {
        // Who paid for it was erased since.
        throw error instanceof UnknownCustomerError ? notPaid('Nothing is paid for at present.') : error;
      }
    });
  }

  private async getCustomer(viewer: Principal): Promise<string> {
    const buyer = await this.desk.buyer(viewer.userId);
    const { organizationId, userId } = buyer;
    const { ofOrganization, own } = await findLiveOf(this.dataSource, buyer);
    const kind = this.desk.processorKind();
    const ofPool = (pool: BuyingPool) => findCustomer(this.dataSource, pool, kind);
    // That of what they live on, or pay for since they left or stepped down; else of what they had.
    const isForOrganization = buyer.isOrganizationOwner && (ofOrganization !== null || own === null);
    const shared = isForOrganization && organizationId !== null ? await ofPool({ organizationId }) : null;
    const bought = own === null ? await findBoughtForOrganization(this.dataSource, userId) : null;
    const paid = bought?.processor === kind ? bought.processorCustomerId : null;
    const customer = shared ?? paid ?? (await ofPool({ userId }));
    if (customer !== null) return customer;
    if (ofOrganization !== null && !buyer.isOrganizationOwner) throw notPlanOwner();
    throw notPaid('Nothing was paid for yet.');
  }
}

const notPaid = (message: string) => new NotFoundError(message, { code: 'no_active_subscription' });
