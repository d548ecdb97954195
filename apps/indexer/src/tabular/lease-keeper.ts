import { ImportClaimLostError, type ImportClaim } from '@app/tabular';
import { Logger } from '@nestjs/common';

/**
 * Keeps a claim while its import goes on. Aborts `signal` when the claim is lost, or when the database could not be
 * reached for as long as the lease holds: then somebody else may have it.
 */
export class LeaseKeeper {
  private readonly logger = new Logger(LeaseKeeper.name);
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private renewedAt = performance.now();
  private status: string | undefined;
  private renewing: Promise<void> | null = null;

  constructor(
    private readonly claim: ImportClaim,
    private readonly settings: { heartbeatSeconds: number; leaseSeconds: number },
  ) {
    this.timer = setInterval(() => this.beat(), settings.heartbeatSeconds * 1000);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: Error): void {
    this.controller.abort(reason);
  }

  /** Tells people what is being done. Not awaited by the work. */
  report(status: string): void {
    this.status = status;
    this.beat();
  }

  /** Resolves when no write of this keeper is under way any more. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.renewing;
  }

  private beat(): void {
    this.renewing ??= this.renew().finally(() => {
      this.renewing = null;
    });
  }

  private async renew(): Promise<void> {
    try {
      await this.claim.renew(this.status);
      this.renewedAt = performance.now();
    } catch (error) {
      const expired = performance.now() - this.renewedAt > this.settings.leaseSeconds * 1000;
      if (error instanceof ImportClaimLostError) this.abort(error);
      else if (expired) this.abort(new ImportClaimLostError(this.claim.file.uid));
      else this.logger.warn(`The lease on ${this.claim.file.uid} could not be renewed: ${String(error)}`);
    }
  }
}
