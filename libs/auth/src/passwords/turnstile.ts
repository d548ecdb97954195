import { UnavailableError } from '@app/common';

/** Lets so many in at a time; a bounded number waits, the others are sent away. For work that fills a core. */
export class Turnstile {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(
    private readonly atOnce: number,
    private readonly mayWait: number,
  ) {}

  /** @throws UnavailableError when too many wait already */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnce) {
      if (this.waiting.length >= this.mayWait)
        throw new UnavailableError('Too many people are signing in. Try again shortly.');
      await new Promise<void>((turn) => this.waiting.push(turn));
    } else this.running += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
