import { inspectAttachment, UploadRejectedError } from '@app/documents';
import { ATTACHMENT_LIMITS, type AttachedFile, type ScreenedFile } from './attached-file.js';
import { checkArchive } from './check-archive.js';
import { ExtractionError } from './extraction-error.js';
import type { ReadingFolder } from './reading-folder.js';

/**
 * Puts the files that a reading process finds within one document where it can open them, once they went through what
 * uploads go through. The process may not be trusted any more: the limits are counted here, too.
 */
export class AttachmentScreening {
  private readonly paths: string[] = [];
  private bytes = 0;

  constructor(private readonly folder: ReadingFolder) {}

  /** @throws what the file system throws */
  async take({ name, mimeType, bytes }: AttachedFile): Promise<ScreenedFile> {
    this.bytes += bytes.length;
    if (this.paths.length >= ATTACHMENT_LIMITS.files || this.bytes > ATTACHMENT_LIMITS.bytes)
      return { refusal: 'The document holds too many files to read them all.' };
    const path = await this.folder.put(bytes);
    this.paths.push(path);
    try {
      const { kind } = await inspectAttachment({ path, filename: name, mimeType, sizeBytes: bytes.length });
      await checkArchive({ path, kind });
      return { path, kind };
    } catch (error) {
      if (!(error instanceof UploadRejectedError) && !(error instanceof ExtractionError)) throw error;
      return { refusal: error.message };
    }
  }

  /** Removes all of them. */
  async end(): Promise<void> {
    for (const path of this.paths.splice(0)) await this.folder.remove(path);
  }
}
