import { SourceFailure } from '../shapes/source-failure.js';

interface Waiting {
  ownerId: number;
  begin(): void;
}

/**
 * Places for sessions in this process. Whoever has as many as one person may have waits without keeping others waiting;
 * places go to those who came first.
 */
export class SessionPlaces {
  private taken = 0;
  private readonly byOwner = new Map<number, number>();
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly all: number,
    private readonly ofOwner: number,
    private readonly mostWaiting = 20,
  ) {}

  /**
   * @returns what gives the place back
   * @throws SourceFailure (`source_busy`) for an owner with too many who wait; the signal's reason
   */
  async take(ownerId: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.isFree(ownerId) && !this.waiting.some((each) => this.isFree(each.ownerId))) return this.occupy(ownerId);
    if (this.waiting.filter((each) => each.ownerId === ownerId).length >= this.mostWaiting)
      throw new SourceFailure('source_busy', 'Too many queries of yours wait for their databases. Try again soon.');
    return new Promise((done, fail) => {
      const waiting: Waiting = {
        ownerId,
        begin: () => {
          signal.removeEventListener('abort', leave);
          done(this.occupy(ownerId));
        },
      };
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        fail(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(waiting);
    });
  }

  private isFree(ownerId: number): boolean {
    return this.taken < this.all && (this.byOwner.get(ownerId) ?? 0) < this.ofOwner;
  }

  private occupy(ownerId: number): () => void {
    this.taken += 1;
    this.byOwner.set(ownerId, (this.byOwner.get(ownerId) ?? 0) + 1);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.taken -= 1;
      const left = (this.byOwner.get(ownerId) ?? 1) - 1;
      if (left === 0) this.byOwner.delete(ownerId);
      else this.byOwner.set(ownerId, left);
      const next = this.waiting.findIndex((each) => this.isFree(each.ownerId));
      if (next >= 0) this.waiting.splice(next, 1)[0]!.begin();
    };
  }
}
