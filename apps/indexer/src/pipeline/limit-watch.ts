import { readFile } from 'node:fs/promises';
import { PAGES_IN_FLIGHT } from './child-messages.js';
import { ExtractionError } from './extraction-error.js';
import type { ExtractionLimits } from './extraction-limits.js';
import { outOfMemory } from './out-of-memory.js';

/** Memory can grow by a megabyte in a millisecond. */
const TICK_MS = 40;
const PAGE_BYTES = 4096;

export type WatchedLimits = Pick<ExtractionLimits, 'totalMs' | 'pageMs' | 'rssBytes'>;

/** Looks at time and memory of a reading process and says once when a limit is broken. */
export class LimitWatch {
  /** Set by the owner before the first tick. */
  onBroken: (error: ExtractionError) => void = () => undefined;
  private busyMs = 0;
  private sincePageMs = 0;
  private unstored = 0;
  private finished = false;
  private last = performance.now();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly pid: number | undefined,
    private readonly limits: WatchedLimits,
  ) {
    this.timer = setInterval(() => void this.tick(), TICK_MS);
  }

  /** Milliseconds of reading so far. */
  get spentMs(): number {
    return this.busyMs;
  }

  /** A page has arrived and is being stored; until `stored` comes for too many of them, the process reads on. */
  arrived(): void {
    this.count();
    this.unstored += 1;
    this.sincePageMs = 0;
  }

  stored(): void {
    this.count();
    this.unstored -= 1;
    this.sincePageMs = 0;
  }

  /** All is read: what is still to be stored takes none of the document's time. */
  finish(): void {
    this.count();
    this.finished = true;
  }

  /** The memory (bytes) that the process may hold from now on. */
  allow(rssBytes: number): void {
    this.limits.rssBytes = rssBytes;
  }

  stop(): void {
    clearInterval(this.timer);
    this.onBroken = () => undefined;
  }

  /** Resident memory of a process in bytes; null when it is gone or the system has no /proc. */
  static async residentBytes(pid: number | undefined): Promise<number | null> {
    const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => null);
    const pages = Number(statm?.split(' ')[1]);
    return Number.isFinite(pages) ? pages * PAGE_BYTES : null;
  }

  /** The time since the last look is the document's, unless the process was waiting for us. */
  private count(): void {
    const now = performance.now();
    if (!this.finished && this.unstored < PAGES_IN_FLIGHT) {
      this.busyMs += now - this.last;
      this.sincePageMs += now - this.last;
    }
    this.last = now;
  }

  private async tick(): Promise<void> {
    this.count();
    if (this.sincePageMs > this.limits.pageMs || this.busyMs > this.limits.totalMs) {
      this.onBroken(
        new ExtractionError(
          'timed_out',
          'Reading the file took too long. Upload it in smaller parts or with less detail.',
        ),
      );
    }
    const resident = await LimitWatch.residentBytes(this.pid);
    if (resident !== null && resident > this.limits.rssBytes) this.onBroken(outOfMemory(`resident ${resident} bytes`));
  }
}
