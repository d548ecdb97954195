import { FairQueue } from '../sandbox/fair-queue.js';

interface Waiting {
  owner: number;
  runId: string;
  settle(): void;
  fail(error: unknown): void;
}

/** Runs at work of one owner, where others may come: the rest waits, and everybody's next one comes in turn. */
const SHARE = 0.75;
/** Runs beyond the places, for those who have none: the share of one must not be all that there is. */
const PLACES = 2;
/** So many of an owner hold a place of the queue while they wait; the others are only remembered. */
const MAX_AWAITED = 4;
const MAX_REMEMBERED = 2_000;
/** Milliseconds after which a run is a long one: most of those wait for a host, a model, or a process of a sandbox. */
const LONG_MS = 2_000;
/** So many long runs, for each run at once, leave their place to others of the same owner; further ones keep it. */
const LONG_PLACES = 4;

interface LongRun {
  done: Promise<void>;
  leavePlace(): void;
}

/** Who is next, of the runs that jobs asked for here, and that this process and has not claimed. */
export class RunTurns {
  private readonly queue: FairQueue<Waiting>;
  /** Those that have not begun: a job for one at work may mean something new. */
  private readonly known = new Set<string>();
  private readonly waiting = new Map<number, number>();
  private readonly long: FairQueue<LongRun>;

  /**
   * @param atOnce runs that one owner alone may have at work, nearly.
   * @param work must claim the run itself.
   * @param tellLost of a run whose job has ended already; the sweeper finds it.
   */
  constructor(
    atOnce: number,
    private readonly work: (runId: string) => Promise<void>,
    private readonly tellLost: (runId: string, error: unknown) => void,
  ) {
    const limits = { atOnce: atOnce * PLACES, atOncePerOwner: Math.max(1, Math.floor(atOnce * SHARE)) };
    this.queue = new FairQueue(limits, (waiting) => this.start(waiting));
    const asides = { atOnce: atOnce * LONG_PLACES, atOncePerOwner: limits.atOncePerOwner * LONG_PLACES };
    this.long = new FairQueue(asides, ({ done, leavePlace }) => {
      leavePlace();
      return done;
    });
  }

  /**
   * Returns when the run is done, or is one of so many of its owner that the job need not wait for it.
   * @param workflow takes turns with the owner's others: one that calls itself has a thousand runs.
   */
  async take(owner: number, runId: string, workflow = ''): Promise<void> {
    const before = this.waiting.get(owner) ?? 0;
    // Whoever is not remembered is asked for again by the sweeper.
    if (this.known.has(runId) || before >= MAX_REMEMBERED) return;
    this.known.add(runId);
    this.waiting.set(owner, before + 1);
    const done = new Promise<void>((settle, fail) => {
      this.queue.push(owner, { owner, runId, settle, fail }, workflow);
    }).finally(() => {
      const left = this.waiting.get(owner)! - 1;
      if (left > 0) this.waiting.set(owner, left);
      else this.waiting.delete(owner);
    });
    if (before < this.queue.limits.atOncePerOwner + MAX_AWAITED) return done;
    done.catch((error: unknown) => this.tellLost(runId, error));
  }

  /** Returns when the run has ended, or has left its place: a dozen slow runs must not stop the quick ones of their owner. */
  private async start({ owner, runId, settle, fail }: Waiting): Promise<void> {
    this.known.delete(runId);
    const done = this.work(runId).then(settle, fail);
    const { promise: left, resolve: leavePlace } = Promise.withResolvers<void>();
    const run = { done, leavePlace };
    const timer = setTimeout(() => this.long.push(owner, run), LONG_MS).unref();
    const end = async (): Promise<void> => {
      await done;
      clearTimeout(timer);
      this.long.remove(owner, run);
    };
    await Promise.race([left, end()]);
  }
}
