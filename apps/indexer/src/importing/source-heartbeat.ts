import { Logger } from '@nestjs/common';
import { type SourceClaim, SourceClaimLostError } from './source-claim.js';

/** Keeps a claim while its sync goes on; aborts `signal` when it is lost, or could not be renewed for as long as it holds. */
export class SourceHeartbeat {
  private readonly logger = new Logger(SourceHeartbeat.name);
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private renewedAt = performance.now();
  private beating: Promise<void> | null = null;

  constructor(
    private readonly claim: SourceClaim,
    private readonly settings: { heartbeatSeconds: number; leaseSeconds: number },
  ) {
    this.timer = setInterval(() => {
      this.beating ??= this.renew().finally(() => {
        this.beating = null;
      });
    }, settings.heartbeatSeconds * 1000);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: Error): void {
    this.controller.abort(reason);
  }

  /** Resolves when no write of this heartbeat is under way any more. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
  }

  private async renew(): Promise<void> {
    try {
      await this.claim.renew();
      this.renewedAt = performance.now();
    } catch (error) {
      const expired = performance.now() - this.renewedAt > this.settings.leaseSeconds * 1000;
      if (error instanceof SourceClaimLostError) this.abort(error);
      else if (expired) this.abort(new SourceClaimLostError(this.claim.source.id));
      else this.logger.warn(`The lease on source ${this.claim.source.id} could not be renewed: ${String(error)}`);
    }
  }
}
