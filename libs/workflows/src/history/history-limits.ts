import type { EntitlementResolver } from '@app/entitlements';
import type { DataSource } from 'typeorm';

export interface HistoryLimit {
  /** Days after its end that a run is kept. */
  days: number;
  /** Runs of one workflow that are kept, the newest of them; the current one and those that still run always are. */
  runs: number;
}

/** How long runs are kept: as long as the plan of their owner and the deployment both say. */
export class HistoryLimits {
  constructor(
    private readonly limit: HistoryLimit,
    private readonly entitlements: EntitlementResolver,
    private readonly dataSource: DataSource,
  ) {}

  /** As it was a few seconds ago at most: for showing it. */
  async limitFor(ownerId: number): Promise<HistoryLimit> {
    const { limits } = await this.entitlements.ofUser(ownerId);
    return this.within(limits.runHistoryDays);
  }

  /** As it is: for deleting, where a plan that was bought a moment ago counts. */
  async readFor(ownerId: number): Promise<HistoryLimit> {
    const { limits } = await this.entitlements.readNow(this.dataSource.manager, ownerId);
    return this.within(limits.runHistoryDays);
  }

  private within(days: number | null): HistoryLimit {
    return { ...this.limit, days: Math.min(days ?? Infinity, this.limit.days) };
  }
}
