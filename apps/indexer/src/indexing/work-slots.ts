import type { QueueClass } from '@app/documents';

/**
 * Which work a process may begin. One of its slots is kept for what somebody waits for, however much bulk work there is:
 * a scan of a thousand pages can hold a slot for minutes. A process with one slot has none to keep.
 */
export class WorkSlots {
  private bulk = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly slots: number) {}

  get allowed(): readonly QueueClass[] {
    const most = Math.max(1, this.slots - 1);
    return this.bulk < most ? ['interactive', 'bulk', 'background'] : ['interactive'];
  }

  /** Lets one claim be made at a time, so that each knows what the one before has begun. */
  inTurn<T>(claim: () => Promise<T>): Promise<T> {
    const next = this.last.then(claim, claim);
    this.last = next.catch(() => undefined);
    return next;
  }

  /** @returns what is to be called at the end of the work */
  begin(isBulk: boolean): () => void {
    if (!isBulk) return () => undefined;
    this.bulk += 1;
    return () => {
      this.bulk -= 1;
    };
  }
}
