import { readFile } from 'node:fs/promises';

/** Memory can grow by a megabyte in a millisecond. */
const TICK_MS = 40;
const PAGE_BYTES = 4096;

export interface WatchedLimits {
  /** Milliseconds of work, without those in which the process waits for us. */
  totalMs: number;
  /** Milliseconds of work from one piece of the answer to the next. */
  pieceMs?: number;
  /** Resident memory. */
  rssBytes: number;
  /** Pieces of the answer that the process sends ahead of our acknowledgement; it waits when so many are unstored. */
  piecesAhead?: number;
}

export interface Broken {
  limit: 'time' | 'memory';
  detail: string;
}

/** Looks at time and memory of a process at work and says once when a limit is broken. */
export class LimitWatch {
  private busyMs = 0;
  private sincePieceMs = 0;
  private unstored = 0;
  private finished = false;
  private last = performance.now();
  private rssBytes: number;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly pid: number | undefined,
    private readonly limits: WatchedLimits,
    private readonly onBroken: (broken: Broken) => void,
  ) {
    this.rssBytes = limits.rssBytes;
    this.timer = setInterval(() => void this.tick(), TICK_MS);
  }

  /** A piece has arrived and is being stored; until `stored` comes for too many of them, the process works on. */
  arrived(): void {
    this.count();
    this.unstored += 1;
    this.sincePieceMs = 0;
  }

  stored(): void {
    this.count();
    this.unstored -= 1;
    this.sincePieceMs = 0;
  }

  /** All is answered: what is still to be stored takes none of the time. */
  finish(): void {
    this.count();
    this.finished = true;
  }

  /** The memory (bytes) that the process may hold from now on. */
  allow(rssBytes: number): void {
    this.rssBytes = rssBytes;
  }

  stop(): void {
    clearInterval(this.timer);
    this.finished = true;
  }

  /** The time since the last look is the work's, unless the process was waiting for us. */
  private count(): void {
    const now = performance.now();
    if (!this.finished && this.unstored < (this.limits.piecesAhead ?? Infinity)) {
      this.busyMs += now - this.last;
      this.sincePieceMs += now - this.last;
    }
    this.last = now;
  }

  private async tick(): Promise<void> {
    this.count();
    const { totalMs, pieceMs = Infinity } = this.limits;
    if (this.sincePieceMs > pieceMs || this.busyMs > totalMs)
      this.onBroken({ limit: 'time', detail: `worked for ${Math.round(this.busyMs)} ms` });
    const resident = await residentBytes(this.pid);
    if (resident !== null && resident > this.rssBytes)
      this.onBroken({ limit: 'memory', detail: `resident ${resident} bytes` });
  }
}

/** Resident memory of a process in bytes; null when it is gone or the system has no /proc. */
export async function residentBytes(pid: number | undefined): Promise<number | null> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => null);
  const pages = Number(statm?.split(' ')[1]);
  return Number.isFinite(pages) ? pages * PAGE_BYTES : null;
}
