import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ClaimLostError, type Claim } from './claim.js';
import type { WorkClaims } from './work-claims.js';

/** This process stops: its work goes to the next worker. */
export class WorkerStoppingError extends Error {}

/** A claim that is kept while its work goes on. */
export class KeptClaim {
  private readonly controller = new AbortController();
  renewedAt = performance.now();

  constructor(readonly claim: Claim) {}

  /** Aborts with a `ClaimLostError` or a `WorkerStoppingError`. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: Error): void {
    this.controller.abort(reason);
  }
}

/**
 * The heartbeat of all claims of a process: one statement for each kind of work. A claim that could not be renewed for
 * as long as its lease holds is taken for lost: then somebody else may have it.
 */
export class LeaseKeeper implements OnApplicationShutdown {
  private readonly logger = new Logger(LeaseKeeper.name);
  private readonly kept = new Set<KeptClaim>();
  private timer: NodeJS.Timeout | null = null;
  private beating: Promise<void> | null = null;
  private isEnding = false;

  constructor(
    private readonly claims: WorkClaims,
    private readonly settings: { heartbeatSeconds: number; leaseSeconds: number },
  ) {}

  keep(claim: Claim): KeptClaim {
    const kept = new KeptClaim(claim);
    this.kept.add(kept);
    if (this.isEnding) kept.abort(new WorkerStoppingError());
    this.timer ??= setInterval(() => void this.beat(), this.settings.heartbeatSeconds * 1000);
    return kept;
  }

  /** Resolves when no heartbeat of this claim is under way any more: it would renew what is given up. */
  async letGo(kept: KeptClaim): Promise<void> {
    if (!this.kept.delete(kept)) return;
    if (this.kept.size === 0 && this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    }
    await this.beating;
  }

  /** Whether claims end at once. */
  get isStopping(): boolean {
    return this.isEnding;
  }

  /** From now on all claims end. */
  stop(): void {
    this.isEnding = true;
    for (const kept of this.kept) kept.abort(new WorkerStoppingError());
  }

  /** The process has stopped: what did not end by then loses its lease. */
  onApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  private beat(): Promise<void> {
    const byWork = Map.groupBy(this.kept, ({ claim }) => claim.definition);
    this.beating ??= Promise.all([...byWork.values()].map((kept) => this.renew(kept)))
      .then(() => undefined)
      .finally(() => {
        this.beating = null;
      });
    return this.beating;
  }

  private async renew(kept: KeptClaim[]): Promise<void> {
    const began = performance.now();
    try {
      const lost = new Set(await this.claims.renew(kept.map(({ claim }) => claim)));
      for (const one of kept)
        if (lost.has(one.claim)) one.abort(new ClaimLostError(one.claim));
        else one.renewedAt = began;
    } catch (error) {
      const { leaseSeconds } = this.settings;
      for (const one of kept)
        if (performance.now() - one.renewedAt > leaseSeconds * 1000) one.abort(new ClaimLostError(one.claim));
      this.logger.warn(`Leases of ${kept.length} pieces of work could not be renewed: ${String(error)}`);
    }
  }
}
