import { isDrawable, isFileKind, Thumbnails, thumbnailWork, type ClaimedThumbnail } from '@app/documents';
import { FileMissingError, FileStorage } from '@app/integrations';
import { GiveUpError, Performs, TryAgainError, type Claim } from '@app/work';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { INDEXER_SETTINGS, type IndexerSettings } from '../indexer-settings.js';
import { DocumentExtractor } from '../pipeline/document-extractor.js';
import { ExtractionError } from '../pipeline/extraction-error.js';

const DRAW_WITHIN_MS = 30_000;

/** Draws pages in a process of their own, so that nobody waits for a picture until a long document is read. */
@Injectable()
export class DrawThumbnailProcessor implements OnApplicationShutdown {
  private readonly extractor: DocumentExtractor;

  constructor(
    @Inject(INDEXER_SETTINGS) { childEntry }: IndexerSettings,
    private readonly thumbnails: Thumbnails,
    private readonly storage: FileStorage,
  ) {
    const limits = { totalMs: DRAW_WITHIN_MS, pageMs: DRAW_WITHIN_MS };
    this.extractor = new DocumentExtractor({ childEntry, limits, idleMs: 20_000 });
  }

  @Performs(thumbnailWork)
  async draw(claim: Claim<ClaimedThumbnail>): Promise<void> {
    await this.thumbnails.finish(claim, await this.drawClaimed(claim.row));
  }

  onApplicationShutdown(): void {
    this.extractor.close();
  }

  /** @throws GiveUpError, TryAgainError, or whatever broke */
  private async drawClaimed({ kind, storageKey, page, width }: ClaimedThumbnail): Promise<Uint8Array> {
    if (!isFileKind(kind) || !isDrawable(kind))
      throw new GiveUpError('There are no pictures of such files.', 'unsupported');
    try {
      const file = await this.storage.localPath(storageKey);
      try {
        return await this.extractor.draw({ path: file.path, kind, page, width });
      } finally {
        await file.release();
      }
    } catch (error) {
      if (error instanceof FileMissingError) throw new GiveUpError(error.message, 'file_missing');
      if (!(error instanceof ExtractionError)) throw error;
      const { code, message } = error;
      throw error.permanent ? new GiveUpError(message, code) : new TryAgainError(message, { code });
    }
  }
}
