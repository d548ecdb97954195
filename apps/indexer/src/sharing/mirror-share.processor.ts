import { mirrorShareJob } from '@app/contracts';
import { findSourceAccess, ShareMirrors, type MirrorClaim } from '@app/documents';
import { ExternalSharing, SourceError, type SourceAccess } from '@app/integrations';
import { HandlesJob, PeriodicTasks } from '@app/queues';
import { SealingService } from '@app/secrets';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { INDEXER_SETTINGS, type IndexerSettings } from '../indexer-settings.js';

/** One call to a drive; shorter than the lease of a claim. */
const CALL_MS = 60_000;
const SWEEP_BATCH = 50;

/** Repeats shares in the drives that their documents come from, until the drives agree. */
@Injectable()
export class MirrorShareProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(MirrorShareProcessor.name);
  private readonly stop = new AbortController();

  constructor(
    @Inject(INDEXER_SETTINGS) private readonly settings: IndexerSettings,
    private readonly mirrors: ShareMirrors,
    private readonly sharing: ExternalSharing,
    private readonly sealing: SealingService,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('share mirrors', this.settings.sweepSeconds, async () => {
      for (const id of await this.mirrors.listDue(SWEEP_BATCH)) await this.workOff(id);
    });
  }

  @HandlesJob(mirrorShareJob)
  async mirror({ mirrorId }: { mirrorId: number }): Promise<void> {
    await this.workOff(mirrorId);
  }

  onModuleDestroy(): void {
    this.stop.abort(new Error('The process stops.'));
  }

  /** What was wanted may change while the drive is asked. */
  private async workOff(id: number): Promise<void> {
    for (let isDue = true; isDue && !this.stop.signal.aborted;) {
      const claim = await this.mirrors.claim(id);
      if (!claim) return;
      try {
        isDue = await this.mirrors.settle(claim, await this.bringAbout(claim));
      } catch (error) {
        return this.putOff(claim, error);
      }
    }
  }

  /** @returns the handle of the grant that the drive has now */
  private async bringAbout({ source, itemId, email, handle, wanted, attempted }: MirrorClaim): Promise<string | null> {
    const access = source ? findSourceAccess(this.sealing, source) : null;
    if (source && !access) throw new SourceError('auth', 'The secret of the source has to be given anew.');
    if (!this.sharing.supports(access)) return null;
    const reader = { source: access satisfies SourceAccess | null, itemId, email };
    const signal = AbortSignal.any([this.stop.signal, AbortSignal.timeout(CALL_MS)]);
    try {
      if (wanted) return handle ?? (await this.sharing.share(reader, signal));
      if (handle !== null || (attempted && email !== '')) await this.sharing.unshare(reader, handle, signal);
    } catch (error) {
      // Nobody can read in the drive what is not there.
      if (!(error instanceof SourceError) || error.failure !== 'not_found') throw error;
    }
    return null;
  }

  private async putOff(claim: MirrorClaim, error: unknown): Promise<void> {
    const known = error instanceof SourceError;
    if (!known) this.logger.warn(`Share ${claim.id} was not repeated in its drive: ${String(error)}`);
    const reason = known ? error.message : 'The drive did not answer.';
    await this.mirrors.putOff(claim, reason, known ? error.retryAfterSeconds : null);
  }
}
