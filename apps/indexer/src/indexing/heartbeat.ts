import { ClaimLostError, type DocumentClaim, type IndexingProgress } from '@app/documents';
import { Logger } from '@nestjs/common';

/** Page counts go to the row at most this often: people poll, and every write is a row version. */
const PROGRESS_EVERY_MS = 1000;

/**
 * Keeps a claim while its work goes on, and tells how far it is. Aborts `signal` when the claim is lost, or when the
 * database could not be reached for as long as the lease holds: then somebody else may have it.
 */
export class Heartbeat {
  private readonly logger = new Logger(Heartbeat.name);
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private renewedAt = performance.now();
  private reportedAt = 0;
  private last: IndexingProgress | undefined;
  private beating: Promise<void> | null = null;

  constructor(
    private readonly claim: DocumentClaim,
    private readonly settings: { heartbeatSeconds: number; leaseSeconds: number },
  ) {
    this.timer = setInterval(() => void this.beat(), settings.heartbeatSeconds * 1000);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: Error): void {
    this.controller.abort(reason);
  }

  /** Not awaited by the work: a slow database must not slow the reading down. */
  report(progress: IndexingProgress): void {
    this.last = progress;
    if (performance.now() - this.reportedAt >= PROGRESS_EVERY_MS) void this.beat();
  }

  /** Resolves when no write of this heartbeat is under way any more. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
  }

  private beat(): Promise<void> {
    this.beating ??= this.renew().finally(() => {
      this.beating = null;
    });
    return this.beating;
  }

  private async renew(): Promise<void> {
    const progress = this.last;
    this.reportedAt = performance.now();
    try {
      await this.claim.renew(progress);
      this.renewedAt = performance.now();
    } catch (error) {
      const expired = performance.now() - this.renewedAt > this.settings.leaseSeconds * 1000;
      if (error instanceof ClaimLostError) this.abort(error);
      else if (expired) this.abort(new ClaimLostError(this.claim.document.uid));
      else this.logger.warn(`The lease on ${this.claim.document.uid} could not be renewed: ${String(error)}`);
    }
  }
}
