/** After which others may have the place of a run that its gateway goes on telling of later. */
const SLICE_MS = 30_000;
/** The same for one that waits for a person, who wakes it. */
const QUIET_SLICE_MS = 3000;

/** Ends a follow, so that others get its place; only where its gateway goes on from a place later. */
export class Slice {
  private readonly ended = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private readonly until = Date.now() + SLICE_MS;

  constructor(
    private isResumable: boolean,
    public isWaiting: boolean,
  ) {
    this.arm();
  }

  get signal(): AbortSignal {
    return this.ended.signal;
  }

  note(isResumable: boolean, isWaiting: boolean): void {
    this.isResumable = isResumable;
    this.isWaiting = isWaiting;
    this.arm();
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private arm(): void {
    clearTimeout(this.timer);
    if (!this.isResumable) return;
    const left = Math.max(0, this.until - Date.now());
    this.timer = setTimeout(() => this.ended.abort(), this.isWaiting ? Math.min(left, QUIET_SLICE_MS) : left);
  }
}
