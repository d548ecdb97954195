import { AuditLog } from '@app/audit';
import { findMailedPerson, setPlanSeats } from '@app/auth';
import { Clock, isUuid } from '@app/common';
import {
  beginReading,
  findSubscriptionOf,
  findSubscriptionRow,
  isLive,
  isPoolFilled,
  lockPool,
  lockSubscriptionRow,
  PlanCatalog,
  poolOf,
  type SubscriptionRow,
  writeReading,
} from '@app/entitlements';
import { retriedTransaction } from '@app/entities';
import { PaymentProcessor } from '@app/integrations';
import { LiveBus } from '@app/live';
import { Messages } from '@app/messages';
import type { OutboxReceipt } from '@app/queues';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { auditedChanges, mailedChange } from './changes.js';
import { nextState, type Read } from './next-state.js';

export interface ProcessorObject {
  readonly kind: 'checkout' | 'subscription';
  readonly id: string;
}

/** Who asked for what is synced; null for what came from the processor. */
export interface Doer {
  readonly userId: number;
  readonly username: string;
}

/** `not_ours`: no row of ours belongs to the object, or the processor does not know it. */
export type SyncOutcome = 'synced' | 'not_ours';

/**
 * Makes our row what the processor says. Nothing is taken from events: the object is read anew. Whoever reads takes a
 * number before, and a reading is written only when no later number was. So however often and in whichever order events
 * come in, here and in other processes, the last change of the object is read by someone whose number nobody outdoes
 * with an older view; and nothing is locked while the processor is asked.
 *
 * It may stop at any place: whoever calls it again goes on.
 */
@Injectable()
export class SubscriptionSync {
  private readonly logger = new Logger(SubscriptionSync.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly processor: PaymentProcessor,
    private readonly catalog: PlanCatalog,
    private readonly audit: AuditLog,
    private readonly messages: Messages,
    private readonly live: LiveBus,
    private readonly clock: Clock,
  ) {}

  /** @throws PaymentProcessorError */
  async sync(object: ProcessorObject): Promise<SyncOutcome> {
    const id = await this.findOurs(object);
    if (id === null) return 'not_ours';
    return this.syncRow(id, null, object);
  }

  /**
   * By our own id. @param named what the processor calls it, where the row does not say so yet
   * @throws PaymentProcessorError
   */
  async syncRow(id: string, doer: Doer | null = null, named: ProcessorObject | null = null): Promise<SyncOutcome> {
    const outcome = await this.readAndWrite(id, doer, named, false);
    if (outcome !== 'give_back') return outcome;
    await this.giveBack(id);
    return (await this.readAndWrite(id, doer, named, true)) === 'not_ours' ? 'not_ours' : 'synced';
  }

  private async readAndWrite(
    id: string,
    doer: Doer | null,
    named: ProcessorObject | null,
    isGivenBack: boolean,
  ): Promise<SyncOutcome | 'give_back'> {
    const begun = await beginReading(this.dataSource, id);
    if (begun?.row.processor !== this.processor.kind) return 'not_ours';
    const read = await this.read(begun.row, named);
    if (read === null) return 'not_ours';
    const { receipts, row } = await retriedTransaction(this.dataSource, (tx) =>
      this.write(tx, begun.row, { reading: begun.reading, read, doer, isGivenBack }),
    );
    this.messages.publish(...receipts);
    const pool = row && poolOf(row);
    if (pool) this.live.invalidate('entitlements', pool);
    return row?.giveBack === 'due' ? 'give_back' : 'synced';
  }

  private async findOurs(object: ProcessorObject): Promise<string | null> {
    const known = await findSubscriptionOf(this.dataSource, object);
    if (known !== null) return known;
    const read = await (object.kind === 'checkout'
      ? this.processor.readCheckout(object.id)
      : this.processor.readSubscription(object.id));
    if (read === null || !isUuid(read.reference)) return null;
    const row = await findSubscriptionRow(this.dataSource, read.reference);
    if (row === null) return null;
    const other = object.kind === 'checkout' ? row.processorCheckoutId : row.processorSubscriptionId;
    if (other === null) return row.id;
    this.logger.warn(`${object.kind} ${object.id} claims to be that of ${row.id}, which has ${other}`);
    return null;
  }

  private async read(row: SubscriptionRow, named: ProcessorObject | null): Promise<Read | null> {
    let subscriptionId = row.processorSubscriptionId ?? (named?.kind === 'subscription' ? named.id : null);
    if (subscriptionId === null) {
      const checkoutId = row.processorCheckoutId ?? (named?.kind === 'checkout' ? named.id : null);
      const checkout = checkoutId === null ? null : await this.processor.readCheckout(checkoutId);
      if (checkout === null || checkout.reference !== row.id) return null;
      if (checkout.status !== 'complete' || checkout.subscriptionId === null)
        return { checkout: checkout.status === 'expired' ? 'expired' : 'open', customerId: checkout.customerId };
      subscriptionId = checkout.subscriptionId;
    }
    const subscription = await this.processor.readSubscription(subscriptionId);
    return subscription?.reference === row.id ? { subscription } : null;
  }

  /** The row as it is then; null when a later reading was written already, or it is gone. */
  private async write(
    tx: EntityManager,
    seen: SubscriptionRow,
    given: { reading: number; read: Read; doer: Doer | null; isGivenBack: boolean },
  ): Promise<{
    receipts: OutboxReceipt[];
    row: Pick<SubscriptionRow, 'ownerUserId' | 'organizationId' | 'giveBack'> | null;
  }> {
    const pool = poolOf(seen);
    if (pool) await lockPool(tx, pool);
    const row = await lockSubscriptionRow(tx, seen.id);
    if (row === null || row.readWritten >= given.reading) return { receipts: [], row: null };
    const state = nextState(row, given.read, {
      poolFilled: pool !== null && (await isPoolFilled(tx, pool, row.id)),
      findPlan: (code) => this.catalog.find(code),
      nowMs: this.clock.now(),
      isGivenBack: given.isGivenBack,
    });
    await writeReading(tx, row.id, given.reading, state);
    if (row.organizationId !== null && (isLive(state.status) || isLive(row.status)))
      await setPlanSeats(tx, row.organizationId, isLive(state.status) ? state.seats : null);
    for (const action of auditedChanges(row, state))
      await this.audit.record(
        {
          action,
          actor: given.doer,
          subjectId: row.ownerUserId,
          target: `subscription:${row.id}`,
          details: {
            status: state.status,
            plan_code: state.plan.code,
            billing_period: state.billingPeriod,
            seats: state.seats,
            organization_id: row.organizationId,
          },
        },
        tx,
      );
    const template = mailedChange(row, state);
    const person = template && row.ownerUserId !== null ? await findMailedPerson(tx, row.ownerUserId) : null;
    const { ownerUserId, organizationId } = row;
    const after = { ownerUserId, organizationId, giveBack: state.giveBack };
    if (!template || !person) return { receipts: [], row: after };
    const receipt = await this.messages.enqueue(
      {
        channel: 'mail',
        template,
        language: person.language,
        to: person.email,
        userId: ownerUserId,
        params: { name: person.firstName, plan: state.plan.name },
      },
      tx,
    );
    return { receipts: [receipt], row: after };
  }

  /** Ends at the processor what was paid for in vain, and gives each payment back. It may be done again. */
  private async giveBack(id: string): Promise<void> {
    const row = await findSubscriptionRow(this.dataSource, id);
    if (!row?.processorSubscriptionId) return;
    const { processorSubscriptionId: subscription } = row;
    await this.processor.cancelSubscription(subscription, {
      reason: 'It was paid for while another one was there, or after its order was closed.',
      idempotencyKey: `give-back-${id}`,
    });
    for (const { id: invoice, status } of await this.processor.listInvoices(subscription))
      if (status === 'paid')
        await this.processor.refundInvoice(invoice, { idempotencyKey: `give-back-${id}-${invoice}` });
  }
}
