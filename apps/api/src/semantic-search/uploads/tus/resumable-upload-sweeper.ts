import { ResumableFiles, ResumableUploads, UploadRejectedError } from '@app/documents';
import { PeriodicTasks } from '@app/queues';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { UploadCompletion } from './upload-completion.js';

const SWEEP_SECONDS = 60;
const IDLE_SECONDS = 30;
const BATCH = 100;
/** Longer than it takes from the row of an upload to its file, or from its file's end to its row's. */
const ORPHAN_AFTER_MS = 3_600_000;

/** Ends what broke off, and removes what was given up. */
@Injectable()
export class ResumableUploadSweeper implements OnApplicationBootstrap {
  private readonly logger = new Logger(ResumableUploadSweeper.name);

  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly rows: ResumableUploads,
    private readonly files: ResumableFiles,
    private readonly completion: UploadCompletion,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('resumable uploads', SWEEP_SECONDS, async () => {
      await this.removeExpired();
      await this.removeOrphans();
      await this.completeWhole();
    });
  }

  /** Uploads whose process died between the last byte and the document. */
  async completeWhole(idleSeconds = IDLE_SECONDS): Promise<void> {
    for (const { id, sizeBytes } of await this.rows.listIdle(idleSeconds, BATCH)) {
      if ((await this.files.sizeOf(id)) !== sizeBytes) continue;
      try {
        await this.completion.complete(id);
      } catch (error) {
        // Its owner reads the refusal; anything else is tried again the next time.
        if (!(error instanceof UploadRejectedError))
          this.logger.warn(`Upload ${id} could not be completed: ${String(error)}`);
      }
    }
  }

  async removeExpired(): Promise<void> {
    for (const id of await this.rows.listExpired(BATCH)) {
      await this.files.remove(id);
      await this.rows.remove(id);
    }
  }

  private async removeOrphans(): Promise<void> {
    const ids = await this.files.listUntouched(ORPHAN_AFTER_MS);
    const known = await this.rows.listKnown(ids);
    for (const id of ids) if (!known.has(id)) await this.files.remove(id);
  }
}
