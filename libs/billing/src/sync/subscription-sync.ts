import { AuditLog } from '@app/audit';
import { findMailedPerson, findPlanBuyer, setPlanSeats } from '@app/auth';
import { Clock, ConflictError, isUuid, NotFoundError } from '@app/common';
import {
  beginReading,
  type BuyingPool,
  findSubscriptionOf,
  findSubscriptionRow,
  isLive,
  isPoolFilled,
  lockPools,
  lockSubscriptionRow,
  movePool,
  PlanCatalog,
  poolOf,
  type SubscriptionRow,
  writeReading,
  type WrittenState,
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

interface Given {
  reading: number;
  read: Read;
  doer: Doer | null;
  /** Who did it without an account, such as an operator at a terminal. */
  by?: string | null;
  isGivenBack: boolean;
  /** The pool that it moves into. */
  target: BuyingPool | null;
}

interface Written {
  receipts: OutboxReceipt[];
  row: Pick<SubscriptionRow, 'giveBack'> | null;
  /** Whose limits may be others now. */
  pools: BuyingPool[];
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
    await this.endInVain(id);
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
    const row = await this.writeAndTell(begun.row, { reading: begun.reading, read, doer, isGivenBack });
    if (row?.giveBack === 'due') return 'give_back';
    // A debit that was under way comes in days after everything was given back.
    if (begun.row.giveBack === 'done' && !isGivenBack) await this.giveBack(begun.row);
    return 'synced';
  }

  /**
   * Ends here what its processor does not know any more, or what another processor than the present one took the payments
   * for: nobody is asked, and nothing is given back. What is over stays as it is.
   * @param by who did so, where no account did
   * @throws NotFoundError @throws ConflictError for one that the processor knows @throws PaymentProcessorError
   */
  async endUnknown(id: string, by: string | null = null): Promise<void> {
    const begun = isUuid(id) ? await beginReading(this.dataSource, id) : null;
    if (begun === null) throw new NotFoundError(`There is no subscription "${id}".`);
    const { row, reading } = begun;
    if (row.processor === this.processor.kind && (await this.read(row, null)) !== null)
      throw new ConflictError(`The subscription "${id}" is known at ${row.processor}: cancel it there.`);
    await this.writeAndTell(row, { reading, read: 'unknown', doer: null, by, isGivenBack: false });
  }

  private async writeAndTell(seen: SubscriptionRow, given: Omit<Given, 'target'>): Promise<Written['row']> {
    const target = await this.findOtherPool(seen, given.read);
    const { receipts, row, pools } = await retriedTransaction(this.dataSource, (tx) =>
      this.write(tx, seen, { ...given, target }),
    );
    this.messages.publish(...receipts);
    for (const pool of pools) this.live.invalidate('entitlements', pool);
    return row;
  }

  private async findOurs(object: ProcessorObject): Promise<string | null> {
    const known = await findSubscriptionOf(this.dataSource, object);
    if (known !== null) return known;
    const read = await (object.kind === 'checkout'
      ? this.processor.readCheckout(object.id)
      : this.processor.readSubscription(object.id));
    if (read === null || read.reference === null || !isUuid(read.reference)) return null;
    const row = await findSubscriptionRow(this.dataSource, read.reference);
    if (row === null) return null;
    const other = object.kind === 'checkout' ? row.processorCheckoutId : row.processorSubscriptionId;
    if (other === null) return row.id;
    this.logger.warn(`${object.kind} ${object.id} claims to be that of ${row.id}, which has ${other}`);
    return null;
  }

  private async read(row: SubscriptionRow, named: ProcessorObject | null): Promise<Read | null> {
    const isNamed = row.processorSubscriptionId === null && named?.kind === 'subscription';
    let subscriptionId = isNamed ? named.id : row.processorSubscriptionId;
    if (subscriptionId === null) {
      const checkoutId = row.processorCheckoutId ?? (named?.kind === 'checkout' ? named.id : null);
      const checkout = checkoutId === null ? null : await this.processor.readCheckout(checkoutId);
      if (checkout === null || checkout.reference !== row.id) return null;
      if (checkout.status !== 'complete' || checkout.subscriptionId === null)
        return { checkout: checkout.status === 'expired' ? 'expired' : 'open', customerId: checkout.customerId };
      subscriptionId = checkout.subscriptionId;
    }
    const subscription = await this.processor.readSubscription(subscriptionId);
    // What our row, or its page, knows by its id is ours without a word on it; never against one.
    const isOurs =
      subscription?.reference === row.id || (subscription !== null && subscription.reference === null && !isNamed);
    if (!isOurs && isLive(row.status))
      this.logger.warn(`${row.id} stays ${row.status}: the processor says nothing of ${subscriptionId}`);
    return subscription !== null && isOurs ? { subscription } : null;
  }

  /** A plan for another kind of pool takes the subscription with it; null where it stays. */
  private async findOtherPool(row: SubscriptionRow, read: Read): Promise<BuyingPool | null> {
    if (read === 'unknown' || !('subscription' in read) || !isLive(row.status) || row.ownerUserId === null) return null;
    const { planCode } = read.subscription;
    const plan = planCode === row.plan.code ? row.plan : this.catalog.find(planCode);
    if (plan === null || plan.pool === row.plan.pool) return null;
    if (plan.pool === 'user') return { userId: row.ownerUserId };
    const buyer = await findPlanBuyer(this.dataSource, row.ownerUserId);
    return buyer?.organizationId && buyer.isOrganizationOwner ? { organizationId: buyer.organizationId } : null;
  }

  /** The row as it is then; null when a later reading was written already, or it is gone. */
  private async write(tx: EntityManager, seen: SubscriptionRow, given: Given): Promise<Written> {
    const pool = poolOf(seen);
    await lockPools(tx, [pool, given.target]);
    const row = await lockSubscriptionRow(tx, seen.id);
    if (row === null || row.readWritten >= given.reading) return { receipts: [], row: null, pools: [] };
    const state = nextState(row, given.read, {
      poolFilled: pool !== null && (await isPoolFilled(tx, pool, row.id)),
      findPlan: (code) => this.catalog.find(code),
      nowMs: this.clock.now(),
      isGivenBack: given.isGivenBack,
    });
    await writeReading(tx, row.id, given.reading, state);
    const moves = given.target !== null && !(await isPoolFilled(tx, given.target, row.id)) ? given.target : null;
    const organizationId = moves ? organizationOf(moves) : row.organizationId;
    if (organizationId !== row.organizationId) await movePool(tx, row.id, organizationId);
    await this.writeSeats(tx, row, state, organizationId);
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
            organization_id: organizationId,
            ...(given.by && { by: given.by }),
          },
        },
        tx,
      );
    const template = mailedChange(row, state);
    const person = template && row.ownerUserId !== null ? await findMailedPerson(tx, row.ownerUserId) : null;
    const { ownerUserId } = row;
    const pools = [pool, moves].filter((one) => one !== null);
    const after = { row: { giveBack: state.giveBack }, pools };
    if (!template || !person) return { receipts: [], ...after };
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
    return { receipts: [receipt], ...after };
  }

  private async writeSeats(
    tx: EntityManager,
    before: SubscriptionRow,
    { status, seats }: WrittenState,
    organizationId: number | null,
  ): Promise<void> {
    const left = before.organizationId;
    if (left !== null && isLive(before.status) && (left !== organizationId || !isLive(status)))
      await setPlanSeats(tx, left, null);
    if (organizationId !== null && isLive(status)) await setPlanSeats(tx, organizationId, seats);
  }

  /** Ends at the processor what was paid for in vain, and gives each payment back. It may be done again. */
  private async endInVain(id: string): Promise<void> {
    const row = await findSubscriptionRow(this.dataSource, id);
    if (!row?.processorSubscriptionId) return;
    await this.processor.cancelSubscription(row.processorSubscriptionId, {
      reason: 'It was paid for while another one was there, or after its order was closed.',
      idempotencyKey: `give-back-${id}`,
    });
    await this.giveBack(row);
  }

  private async giveBack({ id, processorSubscriptionId: subscription }: SubscriptionRow): Promise<void> {
    if (subscription === null) return;
    for (const { id: invoice, status } of await this.processor.listInvoices(subscription))
      if (status === 'paid')
        await this.processor.refundInvoice(invoice, { idempotencyKey: `give-back-${id}-${invoice}` });
  }
}

function organizationOf(pool: BuyingPool): number | null {
  return 'organizationId' in pool ? pool.organizationId : null;
}
