import { UnavailableError, ValidationError } from '@app/common';
import { syncSourceJob } from '@app/contracts';
import { findSourceAccess } from '@app/documents';
import { SourceConnectors, SourceError, type SourceAccess } from '@app/integrations';
import { instruments, noteEnd } from '@app/observability';
import { HandlesJob } from '@app/queues';
import { SealingService } from '@app/secrets';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { IMPORTING_SETTINGS, type ImportingSettings } from './importing-settings.js';
import { SourceClaimLostError, type SourceClaim } from './source-claim.js';
import { SourceClaims } from './source-claims.js';
import { SourceHeartbeat } from './source-heartbeat.js';
import { SliceOverError, SourceImport } from './source-import.js';

/** This process is going to stop: its syncs go to the next worker. */
class WorkerStoppingError extends Error {}

const SLICE_MS = 60_000;
const MAX_TRIES = 5;
const LONGEST_WAIT_SECONDS = 3600;
const UNEXPECTED = 'The import was interrupted by an unexpected error.';

/** Answers the bell: claims the source, has it synced for a while, and writes down how that ended. */
@Injectable()
export class SyncSourceProcessor implements OnModuleDestroy {
  private readonly logger = new Logger(SyncSourceProcessor.name);
  private readonly active = new Set<SourceHeartbeat>();
  private stopping = false;

  constructor(
    @Inject(IMPORTING_SETTINGS) private readonly settings: ImportingSettings,
    private readonly claims: SourceClaims,
    private readonly connectors: SourceConnectors,
    private readonly sealing: SealingService,
    private readonly sourceImport: SourceImport,
  ) {}

  @HandlesJob(syncSourceJob)
  async sync({ sourceId }: { sourceId: string }): Promise<void> {
    // Nothing is lost: the sweeper of another indexer rings again within seconds.
    if (this.stopping) return;
    const claim = await this.claims.claim(sourceId);
    if (!claim) return;
    const heartbeat = new SourceHeartbeat(claim, this.settings);
    this.active.add(heartbeat);
    if (this.stopping) heartbeat.abort(new WorkerStoppingError());
    try {
      await this.work(claim, heartbeat.signal);
    } catch (error) {
      // Its own last write must not renew what is given up here.
      await heartbeat.stop();
      await this.settle(claim, heartbeat.signal.aborted ? heartbeat.signal.reason : error);
    } finally {
      await heartbeat.stop();
      this.active.delete(heartbeat);
    }
  }

  /** Before the queue is closed, which waits for the syncs at work. */
  onModuleDestroy(): void {
    this.stopping = true;
    for (const heartbeat of this.active) heartbeat.abort(new WorkerStoppingError());
  }

  private async work(claim: SourceClaim, signal: AbortSignal): Promise<void> {
    if (claim.source.tries > MAX_TRIES)
      return this.fail(claim, `${UNEXPECTED} It was tried ${MAX_TRIES} times.`, 'internal_error');
    const access = findSourceAccess(this.sealing, claim.source);
    if (!access) return this.fail(claim, 'The secret cannot be opened any more. Enter it again.', 'secret_lost');
    const connector = this.open(access);
    if (!connector)
      return this.fail(claim, 'The configuration is not understood any more. Save it again.', 'invalid_config');
    try {
      await this.sourceImport.run(claim, connector, signal, performance.now() + SLICE_MS);
      note(claim, 'completed', null);
    } finally {
      await connector.close();
    }
  }

  private open(access: SourceAccess) {
    try {
      return this.connectors.open(access);
    } catch (error) {
      if (error instanceof ValidationError) return null;
      throw error;
    }
  }

  private async settle(claim: SourceClaim, error: unknown): Promise<void> {
    const { id } = claim.source;
    try {
      if (error instanceof SourceClaimLostError) this.logger.log(`Source ${id} is no longer this worker's.`);
      else if (error instanceof WorkerStoppingError || error instanceof SliceOverError)
        await this.claims.handBack(claim, 0, '');
      else if (error instanceof SourceError) await this.settleFailure(claim, error);
      else {
        const isKnown = error instanceof UnavailableError;
        if (!isKnown) this.logger.error(error);
        await this.tryAgain(claim, isKnown ? error.message : UNEXPECTED, null);
      }
    } catch (late) {
      // The lease runs out, and a sweeper brings the sync back.
      if (!(late instanceof SourceClaimLostError))
        this.logger.error(`Source ${id} could not be released: ${String(late)}`);
    }
  }

  private async settleFailure(claim: SourceClaim, error: SourceError): Promise<void> {
    const { failure, message, retryAfterSeconds } = error;
    if (failure === 'throttled' || failure === 'unavailable') return this.tryAgain(claim, message, retryAfterSeconds);
    await this.fail(claim, message, failure);
  }

  private async tryAgain(claim: SourceClaim, reason: string, afterSeconds: number | null): Promise<void> {
    if (claim.source.tries >= MAX_TRIES) return this.fail(claim, reason, 'unavailable');
    instruments.retries.inc({ work: 'source sync' });
    const seconds = afterSeconds ?? 2 ** claim.source.tries;
    await this.claims.handBack(claim, Math.min(Math.max(1, seconds), LONGEST_WAIT_SECONDS), reason);
  }

  private async fail(claim: SourceClaim, reason: string, code: string): Promise<void> {
    await claim.fail(reason);
    note(claim, 'failed', code);
  }
}

function note({ source }: SourceClaim, outcome: 'completed' | 'failed', code: string | null): void {
  const { id: sourceId, type, ownerId } = source;
  noteEnd({ work: 'source sync', outcome, ids: { sourceId, type }, ownerId, code });
}
