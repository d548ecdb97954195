/**
 * The one slot of a process for work over which a worker was lost before. Of several that were at work when a process
 * ended, nobody knows which one ended it; taken up one by one, a bystander ends well, and a culprit is alone among the
 * suspects of the next process that ends. Work under no suspicion goes on beside it.
 */
export class SuspectSlot {
  private holder: { id: string; untilMs: number } | null = null;

  /** @param forMs it is free again by then, unless renewed: whoever held it has lost its lease, too. */
  take(id: string, forMs: number): boolean {
    if (!this.isFree && this.holder?.id !== id) return false;
    this.holder = { id, untilMs: performance.now() + forMs };
    return true;
  }

  renew(id: string, forMs: number): void {
    if (this.holder?.id === id) this.holder.untilMs = performance.now() + forMs;
  }

  leave(id: string): void {
    if (this.holder?.id === id) this.holder = null;
  }

  get isFree(): boolean {
    return this.holder === null || this.holder.untilMs <= performance.now();
  }
}

/** Of this process: whatever kind of work it is, only one suspect is taken up at a time. */
export const processSuspects = new SuspectSlot();
