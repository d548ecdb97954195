interface Waiter {
  key: string;
  admit: () => void;
}

/**
 * A number of slots that are shared fairly: nobody takes the last one of several while holding another, and of those
 * who wait, whoever holds none goes first.
 */
export class FairSlots {
  private readonly held = new Map<string, number>();
  private readonly waiting: Waiter[] = [];
  private taken = 0;

  constructor(private readonly count: number) {}

  /**
   * Waits for a slot; give it back with `leave`.
   * @param key who takes it
   * @throws the signal's reason, and then no slot is taken
   */
  async enter(key: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.mayEnter(key)) return this.take(key);
    await new Promise<void>((resolve, reject) => {
      const waiter = { key, admit: () => settle(resolve) };
      const giveUp = () => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        settle(() => reject(signal.reason));
      };
      const settle = (how: () => void) => {
        signal.removeEventListener('abort', giveUp);
        how();
      };
      this.waiting.push(waiter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  leave(key: string): void {
    this.taken -= 1;
    const left = this.holds(key) - 1;
    if (left === 0) this.held.delete(key);
    else this.held.set(key, left);
    for (let next = this.next(); next; next = this.next()) {
      this.waiting.splice(this.waiting.indexOf(next), 1);
      // Taken for it, so that nobody who comes in between gets ahead.
      this.take(next.key);
      next.admit();
    }
  }

  private next(): Waiter | undefined {
    const able = this.waiting.filter(({ key }) => this.mayEnter(key));
    return able.find(({ key }) => this.holds(key) === 0) ?? able[0];
  }

  private mayEnter(key: string): boolean {
    const free = this.count - this.taken;
    return free > 1 || (free === 1 && (this.count === 1 || this.holds(key) === 0));
  }

  private take(key: string): void {
    this.taken += 1;
    this.held.set(key, this.holds(key) + 1);
  }

  private holds(key: string): number {
    return this.held.get(key) ?? 0;
  }
}
