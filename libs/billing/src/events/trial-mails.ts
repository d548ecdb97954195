import { findMailedPerson } from '@app/auth';
import { takeEndingTrials } from '@app/entitlements';
import { Messages } from '@app/messages';
import type { OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

export const DAYS_BEFORE = 3;
const MOST_AT_ONCE = 100;

/** Tells whoever bought a plan that its trial ends, and that it is paid for from then on. */
@Injectable()
export class TrialMails {
  constructor(
    private readonly dataSource: DataSource,
    private readonly messages: Messages,
  ) {}

  /** @returns how many trials it took up */
  async sweep(): Promise<number> {
    const { receipts, taken } = await this.dataSource.transaction((tx) => this.tell(tx));
    this.messages.publish(...receipts);
    return taken;
  }

  /** Mark and mail are one: told once, whatever happens. */
  private async tell(tx: EntityManager): Promise<{ receipts: OutboxReceipt[]; taken: number }> {
    const trials = await takeEndingTrials(tx, DAYS_BEFORE, MOST_AT_ONCE);
    const receipts: OutboxReceipt[] = [];
    for (const { ownerUserId: userId, planName: plan, trialEnd } of trials) {
      const person = userId === null ? null : await findMailedPerson(tx, userId);
      if (!person) continue;
      const { email: to, language, firstName: name } = person;
      const params = { name, plan, date: new Date(trialEnd).toISOString().slice(0, 10) };
      receipts.push(
        await this.messages.enqueue({ channel: 'mail', template: 'trial-ends', language, to, userId, params }, tx),
      );
    }
    return { receipts, taken: trials.length };
  }
}
