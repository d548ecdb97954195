import { drawThumbnailJob } from '@app/contracts';
import { isDrawable, isFileKind, Thumbnails, type ThumbnailClaim, type ThumbnailName } from '@app/documents';
import { FileMissingError, FileStorage } from '@app/integrations';
import { HandlesJob } from '@app/queues';
import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { INDEXER_SETTINGS, type IndexerSettings } from '../indexer-settings.js';
import { DocumentExtractor } from '../pipeline/document-extractor.js';
import { ExtractionError } from '../pipeline/extraction-error.js';

const DRAW_WITHIN_MS = 30_000;

/** Draws pages in a process of their own, so that nobody waits for a picture until a long document is read. */
@Injectable()
export class DrawThumbnailProcessor implements OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(DrawThumbnailProcessor.name);
  private readonly extractor: DocumentExtractor;
  private stopping = false;

  constructor(
    @Inject(INDEXER_SETTINGS) { childEntry }: IndexerSettings,
    private readonly thumbnails: Thumbnails,
    private readonly storage: FileStorage,
  ) {
    const limits = { totalMs: DRAW_WITHIN_MS, pageMs: DRAW_WITHIN_MS };
    this.extractor = new DocumentExtractor({ childEntry, limits, idleMs: 20_000 });
  }

  @HandlesJob(drawThumbnailJob)
  async draw(name: ThumbnailName): Promise<void> {
    // Whoever still wants it rings again.
    const claim = this.stopping ? null : await this.thumbnails.claim(name);
    if (!claim) return;
    try {
      await this.thumbnails.finish(claim, await this.drawClaimed(claim));
    } catch (error) {
      const permanent = error instanceof FileMissingError || (error instanceof ExtractionError && error.permanent);
      if (!(error instanceof ExtractionError) && !permanent) this.logger.error(error);
      await this.thumbnails.fail(claim, permanent);
    }
  }

  onModuleDestroy(): void {
    this.stopping = true;
  }

  onApplicationShutdown(): void {
    this.extractor.close();
  }

  private async drawClaimed({ kind, storageKey, page, width }: ThumbnailClaim): Promise<Uint8Array> {
    if (!isFileKind(kind) || !isDrawable(kind))
      throw new ExtractionError('unsupported', 'There are no pictures of such files.');
    const file = await this.storage.localPath(storageKey);
    try {
      return await this.extractor.draw({ path: file.path, kind, page, width });
    } finally {
      await file.release();
    }
  }
}
