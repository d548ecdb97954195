const MINUTE_MS = 60_000;

/** Lets so many calls in at a time, and so many per minute, in the order in which they came. */
export class CallGate {
  private inside = 0;
  private readonly waiting: (() => void)[] = [];
  /** Tokens of the bucket; it is full after a minute of rest. */
  private allowance: number;
  private countedAt: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly atOnce: number | null,
    private readonly perMinute: number | null,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.allowance = perMinute ?? 0;
    this.countedAt = now();
  }

  /** How many wait. */
  get queueLength(): number {
    return this.waiting.length;
  }

  /**
   * Waits for a place. @returns what gives it back, once however often it is called
   * @throws the reason of `signal`, which ends the waiting
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.waiting.length > 0 || !this.takeSlot()) await this.queue(signal);
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return;
      isGivenBack = true;
      this.inside -= 1;
      this.letIn();
    };
  }

  private queue(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const at = this.waiting.indexOf(enter);
        if (at !== -1) this.waiting.splice(at, 1);
        reject(signal.reason as Error);
        this.letIn();
      };
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(enter);
      this.letIn();
    });
  }

  private letIn(): void {
    while (this.waiting.length > 0 && this.takeSlot()) this.waiting.shift()!();
    if (this.waiting.length === 0) {
      clearTimeout(this.timer);
      this.timer = undefined;
      return;
    }
    if (this.perMinute === null || this.timer || this.isFull()) return;
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        this.letIn();
      },
      Math.max(1, ((1 - this.allowance) * MINUTE_MS) / this.perMinute),
    );
  }

  private isFull(): boolean {
    return this.atOnce !== null && this.inside >= this.atOnce;
  }

  private takeSlot(): boolean {
    if (this.isFull()) return false;
    if (this.perMinute !== null) {
      const now = this.now();
      this.allowance = Math.min(this.perMinute, this.allowance + ((now - this.countedAt) * this.perMinute) / MINUTE_MS);
      this.countedAt = now;
      if (this.allowance < 1) return false;
      this.allowance -= 1;
    }
    this.inside += 1;
    return true;
  }
}
