import { findMailedPerson } from '@app/auth';
import { claimEndingTrials, findSubscriptionRow, listWaiting, mayAsk } from '@app/entitlements';
import { Messages } from '@app/messages';
import { type OutboxReceipt, SoleTasks } from '@app/queues';
import { PaymentProcessor } from '@app/integrations';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Checkouts } from '../orders/checkouts.js';
import { SubscriptionSync } from '../sync/subscription-sync.js';
import { SWEEP_EVERY } from './sweep-every.js';

/** Trials are looked at so many times less often than the rest. */
const TRIAL_SWEEPS = 20;
const BATCH = 50;
/** People are told of the end of a trial so long before. */
const TRIAL_DAYS = 3;

/** What nobody asks for: orders whose time is over, payments that are still to be given back, trials that end soon. */
@Injectable()
export class SubscriptionSweeper implements OnModuleInit {
  private readonly logger = new Logger(SubscriptionSweeper.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly processor: PaymentProcessor,
    private readonly checkouts: Checkouts,
    private readonly sync: SubscriptionSync,
    private readonly messages: Messages,
    private readonly tasks: SoleTasks,
    @Inject(SWEEP_EVERY) private readonly seconds: number,
  ) {}

  onModuleInit(): void {
    if (this.processor.kind === 'none') return;
    this.tasks.every('open orders of plans', this.seconds, () => this.sweep());
    this.tasks.every('trials that end', this.seconds * TRIAL_SWEEPS, () => this.tellOfTrials());
  }

  async sweep(): Promise<void> {
    for (const id of await listWaiting(this.dataSource, BATCH)) {
      // One that goes wrong each time keeps nobody else waiting.
      if (!(await mayAsk(this.dataSource, id, 1))) continue;
      try {
        const row = await findSubscriptionRow(this.dataSource, id);
        if (row?.giveBack === 'due') await this.sync.syncRow(id);
        else if (row?.status === 'incomplete') await this.checkouts.close(row);
      } catch (error) {
        this.logger.warn(`${id} is looked after later: ${String(error)}`);
      }
    }
  }

  async tellOfTrials(): Promise<void> {
    const receipts = await this.dataSource.transaction(async (tx) => {
      const ending = await claimEndingTrials(tx, { withinDays: TRIAL_DAYS, limit: BATCH });
      const written: OutboxReceipt[] = [];
      for (const { ownerUserId, planName, trialEnd } of ending) {
        const person = ownerUserId === null ? null : await findMailedPerson(tx, ownerUserId);
        if (person === null) continue;
        const params = { name: person.firstName, plan: planName, date: trialEnd.toISOString().slice(0, 10) };
        const { language, email: to } = person;
        const mail = { channel: 'mail', template: 'trial-ends', language, to, userId: ownerUserId, params } as const;
        written.push(await this.messages.enqueue(mail, tx));
      }
      return written;
    });
    this.messages.publish(...receipts);
  }
}
