import { type FetchClaim, FetchLostError, type RequestFetches } from '@app/workflows';
import { Logger } from '@nestjs/common';

/** Keeps a claim while files are fetched; aborts `signal` when it is lost or the process stops. */
export class FetchHeartbeat {
  private readonly logger = new Logger(FetchHeartbeat.name);
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private beating: Promise<void> | null = null;
  private isHandedOver = false;

  constructor(
    private readonly fetches: RequestFetches,
    private readonly claim: FetchClaim,
    seconds: number,
  ) {
    this.timer = setInterval(() => {
      this.beating ??= this.renew().finally(() => {
        this.beating = null;
      });
    }, seconds * 1000);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Somebody else is to go on. */
  handOver(): void {
    this.isHandedOver = true;
    this.controller.abort(new FetchLostError(this.claim.requestId));
  }

  /** Resolves when no write of this heartbeat is under way any more. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
    if (!this.isHandedOver) return;
    await this.fetches
      .putOff(this.claim, 0)
      .catch((error: Error) => this.logger.warn(`A fetch is taken over late: ${error.message}`));
  }

  private async renew(): Promise<void> {
    try {
      await this.fetches.renew(this.claim);
    } catch (error) {
      if (error instanceof FetchLostError) this.controller.abort(error);
      else this.logger.warn(`The lease of a fetch could not be renewed: ${String(error)}`);
    }
  }
}
