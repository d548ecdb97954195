export interface BatchRules<T> {
  /** So many go together at most. */
  most: number;
  /** So many batches may be under way at once. */
  atOnce: number;
  /** Where so many wait although a batch is under way, another one takes them in beside it. */
  overflow: number;
  /** Above this many a second a batch is put off for a moment, so that more of them share it. */
  crowdedPerSecond: number;
  /** That moment, counted from the beginning of the batch before. */
  gatherMs: number;
  /** Counted from the first that waits instead: for what comes in bursts, whose first one would go alone. */
  inBursts?: boolean;
  /** Where so many wait, nothing is put off; nor where as many wait as were there at once lately. Asked each time. */
  enough: () => number;
  /** Those that may go now, in their order; the others stay. All of them unless told. */
  pick?: (waiting: readonly T[]) => readonly T[];
}

const WINDOW_MS = 100;

/**
 * Lets what comes at once share a round trip and a commit. What comes while a batch is under way goes with the next one:
 * under load many go together, and without load nobody waits for anybody.
 */
export class MicroBatcher<T> {
  private waiting: T[] = [];
  private underWay = 0;
  private timer: NodeJS.Timeout | null = null;
  private turn: NodeJS.Immediate | null = null;
  private lastStart = 0;
  private firstWaitsSince = 0;
  private windowStart = 0;
  private inWindow = 0;
  private isCrowded = false;
  /** Those that wait or are under way, and the most that did in this window and in the one before. */
  private present = 0;
  private most = 0;
  private mostBefore = 0;

  /** @param carry must not reject, and tells the askers itself what became of them. */
  constructor(
    private readonly carry: (batch: readonly T[]) => Promise<void>,
    private readonly rules: BatchRules<T>,
  ) {}

  push(item: T): void {
    const now = performance.now();
    if (this.waiting.push(item) === 1) this.firstWaitsSince = now;
    this.present += 1;
    this.countArrival(now);
    this.pump();
  }

  /** Takes those back that are told, where they still wait. */
  takeOut(isTaken: (item: T) => boolean): T[] {
    const taken = this.waiting.filter((item) => isTaken(item));
    if (taken.length > 0) this.waiting = this.waiting.filter((item) => !taken.includes(item));
    this.present -= taken.length;
    return taken;
  }

  private pump(): void {
    const { atOnce, overflow, enough, gatherMs, inBursts } = this.rules;
    const { length } = this.waiting;
    if (length === 0 || this.underWay === atOnce || (this.underWay > 0 && length < overflow)) return;
    // Callers who ask again when they are answered are all here then: nobody is left to wait for.
    const isPutOff = this.isCrowded && length < Math.min(enough(), Math.max(this.most, this.mostBefore));
    const since = inBursts ? Math.max(this.lastStart, this.firstWaitsSince) : this.lastStart;
    const rest = isPutOff ? gatherMs - (performance.now() - since) : 0;
    if (rest > 0) this.timer ??= setTimeout(() => this.start(), rest);
    // What else comes in this turn of the event loop goes along.
    else this.turn ??= setImmediate(() => this.start());
  }

  private start(): void {
    if (this.timer) clearTimeout(this.timer);
    if (this.turn) clearImmediate(this.turn);
    [this.timer, this.turn] = [null, null];
    const batch = this.nextBatch();
    if (batch.length === 0) return;
    this.lastStart = performance.now();
    this.firstWaitsSince = this.lastStart;
    this.underWay += 1;
    void this.carry(batch).finally(() => {
      this.underWay -= 1;
      this.present -= batch.length;
      this.pump();
    });
    this.pump();
  }

  private nextBatch(): readonly T[] {
    const { most, pick } = this.rules;
    if (!pick) return this.waiting.splice(0, most);
    const batch = pick(this.waiting).slice(0, most);
    const chosen = new Set(batch);
    this.waiting = this.waiting.filter((item) => !chosen.has(item));
    return batch;
  }

  private countArrival(now: number): void {
    const elapsed = now - this.windowStart;
    if (elapsed >= WINDOW_MS) {
      this.isCrowded = (this.inWindow / elapsed) * 1000 >= this.rules.crowdedPerSecond;
      this.windowStart = now;
      this.inWindow = 0;
      this.mostBefore = elapsed < 2 * WINDOW_MS ? this.most : 0;
      this.most = 0;
    }
    this.inWindow += 1;
    this.most = Math.max(this.most, this.present);
  }
}
