import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Memory can grow by a megabyte in a millisecond. */
const TICK_MS = 40;
const PAGE_BYTES = 4096;
/** Of a second by the clock at least so much counts: a process that is never let run comes to an end, too. */
const LEAST_COUNTED = 0.1;

export interface WatchedLimits {
  /** Milliseconds of work, without those in which the process waits for us, or for a processor that others keep busy. */
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
  /** What the process waited for a processor so far, and what of it is still to be taken off. */
  private waitedMs: number;
  private creditMs = 0;
  private totalMs: number;
  private rssBytes: number;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly pid: number | undefined,
    private readonly limits: WatchedLimits,
    private readonly onBroken: (broken: Broken) => void,
    /** Milliseconds so far in which it was ready to work and not let run. */
    private readonly starvedMs = () => processorWaitMs(pid),
  ) {
    this.rssBytes = limits.rssBytes;
    this.totalMs = limits.totalMs;
    this.waitedMs = starvedMs();
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

  /** The work begins now, and may take so long (milliseconds). */
  restart(totalMs: number): void {
    this.count();
    this.busyMs = 0;
    this.totalMs = totalMs;
  }

  stop(): void {
    clearInterval(this.timer);
    this.finished = true;
  }

  /** The time since the last look is the work's, unless the process was waiting for us, or was not let run. */
  private count(): void {
    const now = performance.now();
    const waitedMs = Math.max(this.waitedMs, this.starvedMs());
    this.creditMs += waitedMs - this.waitedMs;
    const passed = now - this.last;
    const lost = Math.min(this.creditMs, passed * (1 - LEAST_COUNTED));
    if (!this.finished && this.unstored < (this.limits.piecesAhead ?? Infinity)) {
      this.busyMs += passed - lost;
      this.sincePieceMs += passed - lost;
    }
    this.creditMs -= lost;
    this.waitedMs = waitedMs;
    this.last = now;
  }

  private async tick(): Promise<void> {
    this.count();
    const { pieceMs = Infinity } = this.limits;
    if (this.sincePieceMs > pieceMs || this.busyMs > this.totalMs)
      this.onBroken({ limit: 'time', detail: `worked for ${Math.round(this.busyMs)} ms` });
    const resident = await residentBytes(this.pid);
    if (resident !== null && resident > this.rssBytes)
      this.onBroken({ limit: 'memory', detail: `resident ${resident} bytes` });
  }
}

/**
 * Milliseconds so far in which the main thread of a process was ready to work and not let run; 0 when the process is gone
 * or the system does not tell (`/proc/PID/schedstat` of Linux). Read at once, as it costs less than to ask for it.
 */
export function processorWaitMs(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1] ?? 0) / 1e6;
  } catch {
    return 0;
  }
}

/** Resident memory of a process in bytes; null when it is gone or the system has no /proc. */
export async function residentBytes(pid: number | undefined): Promise<number | null> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => null);
  const pages = Number(statm?.split(' ')[1]);
  return Number.isFinite(pages) ? pages * PAGE_BYTES : null;
}
