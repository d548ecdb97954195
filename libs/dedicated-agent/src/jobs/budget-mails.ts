import type { DomainError } from '@app/common';
import type { Messages } from '@app/messages';
import type { EntityManager } from 'typeorm';
import type { BudgetBook } from '../budget/budget-book.js';
import { mailAboutJob } from './job-ends.js';
import type { BudgetNews } from './job-clock.js';
import type { PlannedJob } from './job-record.js';

/** Once for each period, however often a job comes round in it, and only where its owner wants mails. */
export class BudgetMails implements BudgetNews {
  constructor(
    private readonly budget: BudgetBook,
    private readonly messages: Messages,
  ) {}

  async tell(tx: EntityManager, job: PlannedJob & { userId: number }, refusal: DomainError): Promise<void> {
    if (job.notify !== 'mail') return;
    if (!(await this.budget.isFirstToTell(tx, job.agentId, job.id, refusal.extra.scope))) return;
    await mailAboutJob(tx, this.messages, { userId: job.userId, job: job.name, error: refusal.message, result: '' });
  }
}
