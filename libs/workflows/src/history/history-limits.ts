export interface HistoryLimit {
  /** Days after its end that a run is kept. */
  days: number;
  /** Runs of one workflow that are kept, the newest of them; the current one and those that still run always are. */
  runs: number;
}

/** How long runs are kept: the same for everybody, until plans say otherwise. */
export class HistoryLimits {
  constructor(private readonly limit: HistoryLimit) {}

  limitFor(_ownerId: number): HistoryLimit {
    return this.limit;
  }
}
