import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectAttachment, UploadRejectedError } from '@app/documents';
import { ScratchFiles } from '@app/integrations';
import { ATTACHMENT_LIMITS, type AttachedFile, type ScreenedFile } from './attached-file.js';
import { checkArchive } from './check-archive.js';
import { ExtractionError } from './extraction-error.js';
import type { ReadingFolder } from './reading-folder.js';

/** What a killed indexer has left there goes when the next mail is read. */
const SCRATCH = new ScratchFiles(join(tmpdir(), 'atrium-attached'));

/**
 * Puts the files that a reading process finds within one document where it can open them, once they went through what
 * uploads go through. The process may not be trusted any more: the limits are counted here, too.
 */
export class AttachmentScreening {
  private readonly ends: (() => Promise<void>)[] = [];
  private taking: Promise<unknown> = Promise.resolve();
  private count = 0;
  private bytes = 0;

  constructor(private readonly folder: ReadingFolder) {}

  /** @throws what the file system throws */
  take(file: AttachedFile): Promise<ScreenedFile> {
    const taken = this.screen(file);
    this.taking = Promise.allSettled([this.taking, taken]);
    return taken;
  }

  /** Removes all of them. */
  async end(): Promise<void> {
    await this.taking;
    for (const end of this.ends.splice(0)) await end();
  }

  private async screen({ name, mimeType, bytes }: AttachedFile): Promise<ScreenedFile> {
    this.count += 1;
    this.bytes += bytes.length;
    if (this.count > ATTACHMENT_LIMITS.files || this.bytes > ATTACHMENT_LIMITS.bytes)
      return { refusal: 'The document holds too many files to read them all.' };
    const path = await SCRATCH.reserve();
    this.ends.push(() => rm(path, { force: true }));
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
    try {
      const { kind } = await inspectAttachment({ path, filename: name, mimeType, sizeBytes: bytes.length });
      await checkArchive({ path, kind });
      const shown = await this.folder.show(path);
      this.ends.push(shown.end);
      return { path: shown.path, kind };
    } catch (error) {
      if (!(error instanceof UploadRejectedError) && !(error instanceof ExtractionError)) throw error;
      return { refusal: error.message };
    }
  }
}
