/**
 * Long work goes on piece by piece, and between any two pieces, whoever's they are, the process hears of everything
 * else. Owners take turns.
 */
export class LoopTurns {
  private readonly waiting = new Map<number, (() => void)[]>();
  private isRunning = false;

  /** Resolves when the next piece of this owner may be done; it is done before this process does anything else. */
  next(owner: number): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.waiting.get(owner);
      if (queue) queue.push(resolve);
      else this.waiting.set(owner, [resolve]);
      if (this.isRunning) return;
      this.isRunning = true;
      setImmediate(() => this.resume());
    });
  }

  private resume(): void {
    const [entry] = this.waiting;
    if (!entry) {
      this.isRunning = false;
      return;
    }
    const [owner, [first, ...rest]] = entry;
    this.waiting.delete(owner);
    if (rest.length > 0) this.waiting.set(owner, rest);
    first!();
    setImmediate(() => this.resume());
  }
}
