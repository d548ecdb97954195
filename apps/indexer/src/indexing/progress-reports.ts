import type { IndexingProgress } from '@app/documents';
import { ClaimLostError } from '@app/work';
import { Logger } from '@nestjs/common';

/** Page counts go to the row at most this often: people poll, and every write is a row version. */
const EVERY_MS = 1000;

/** Tells how far the work is; the work does not wait for it, so that a slow database does not slow the reading down. */
export class ProgressReports {
  private readonly logger = new Logger(ProgressReports.name);
  private readonly lost = new AbortController();
  private last: IndexingProgress | null = null;
  private reportedAt = -Infinity;
  private timer: NodeJS.Timeout | null = null;
  private isWriting = false;
  /** Aborts with that of the claim, and when a report finds the claim lost. */
  readonly signal: AbortSignal;

  constructor(
    private readonly write: (progress: IndexingProgress) => Promise<void>,
    signal: AbortSignal,
  ) {
    this.signal = AbortSignal.any([signal, this.lost.signal]);
  }

  report(progress: IndexingProgress): void {
    this.last = progress;
    if (this.isWriting) return;
    const wait = this.reportedAt + EVERY_MS - performance.now();
    if (wait <= 0) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), wait);
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.last = null;
  }

  private async flush(): Promise<void> {
    const progress = this.last;
    this.stop();
    if (!progress) return;
    this.isWriting = true;
    this.reportedAt = performance.now();
    try {
      await this.write(progress);
    } catch (error) {
      if (error instanceof ClaimLostError) this.lost.abort(error);
      else this.logger.warn(`How far a document is could not be written: ${String(error)}`);
    } finally {
      this.isWriting = false;
    }
  }
}
