import { DomainError } from '@app/common';
import { summariseDocumentJob } from '@app/contracts';
import { HandlesJob, PeriodicTasks } from '@app/queues';
import { findDocumentText, InsightWriter, SummaryClaims, type SummaryClaim } from '@app/retrieval';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { INDEXER_SETTINGS, type IndexerSettings } from '../indexer-settings.js';

/** Another worker has it, or its document is gone: nothing more is written. */
class SummaryLostError extends Error {}
class WorkerStoppingError extends Error {}

/** Answers the bell: claims the summary, has it written, and writes down how it ended. */
@Injectable()
export class SummariseDocumentProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(SummariseDocumentProcessor.name);
  private readonly active = new Set<AbortController>();
  private stopping = false;

  constructor(
    @Inject(INDEXER_SETTINGS) private readonly settings: IndexerSettings,
    private readonly dataSource: DataSource,
    private readonly claims: SummaryClaims,
    private readonly writer: InsightWriter,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('summaries', this.settings.sweepSeconds, async () => void (await this.claims.ringAgain()));
  }

  @HandlesJob(summariseDocumentJob)
  async summarise({ uid }: { uid: string }): Promise<void> {
    const claim = this.stopping ? null : await this.claims.claim(uid);
    if (!claim) return;
    const work = new AbortController();
    this.active.add(work);
    const beat = setInterval(() => void this.renew(claim, work), this.settings.heartbeatSeconds * 1000);
    try {
      const text = await findDocumentText(this.dataSource, uid);
      if (text === null) return await this.claims.endTry(claim, 'The document holds no text.', true);
      await this.claims.finish(claim, await this.writer.describe(text, claim.language, claim.ownerId, work.signal));
    } catch (error) {
      await this.settle(claim, work.signal.aborted ? work.signal.reason : error);
    } finally {
      clearInterval(beat);
      this.active.delete(work);
    }
  }

  onModuleDestroy(): void {
    this.stopping = true;
    for (const work of this.active) work.abort(new WorkerStoppingError());
  }

  private async renew(claim: SummaryClaim, work: AbortController): Promise<void> {
    try {
      if (!(await this.claims.renew(claim))) work.abort(new SummaryLostError());
    } catch (error) {
      this.logger.warn(`The lease on the summary of ${claim.uid} could not be renewed: ${String(error)}`);
    }
  }

  private async settle(claim: SummaryClaim, error: unknown): Promise<void> {
    if (error instanceof SummaryLostError) return;
    if (error instanceof WorkerStoppingError) return this.claims.handBack(claim);
    const known = error instanceof DomainError;
    if (!known) this.logger.error(error);
    const reason = known ? error.message : 'The language model did not answer in the form that it was asked for.';
    await this.claims.endTry(claim, reason, known && error.code === 'model_not_configured');
  }
}
