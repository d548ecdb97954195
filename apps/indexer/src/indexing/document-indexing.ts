import {
  INDEX_PIPELINE_VERSION,
  IndexingRecords,
  isFileKind,
  type DocumentRecord,
  type IndexingProgress,
} from '@app/documents';
import { Embeddings, FileStorage } from '@app/integrations';
import { ChunkIndex, chunkPages, textToEncode, type ChunkVectors, type PageText, type TextChunk } from '@app/retrieval';
import type { Claim } from '@app/work';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { INDEXER_SETTINGS, type IndexerSettings } from '../indexer-settings.js';
import { DocumentExtractor } from '../pipeline/document-extractor.js';
import type { Extraction, ExtractionProgress } from '../pipeline/extracted-page.js';
import { ExtractionError } from '../pipeline/extraction-error.js';
import { ProgressReports } from './progress-reports.js';

/** Passages that are embedded between two looks at the claim. */
const EMBED_BATCH = 128;

/** How much of the work is done when all pages are read, and when all passages have vectors. */
const READ_PERCENT = 60;
const EMBEDDED_PERCENT = 90;

/** From a stored file to a searchable one. */
@Injectable()
export class DocumentIndexing {
  constructor(
    @Inject(INDEXER_SETTINGS) private readonly settings: IndexerSettings,
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly extractor: DocumentExtractor,
    private readonly chunkIndex: ChunkIndex,
    private readonly embeddings: Embeddings,
    private readonly records: IndexingRecords,
  ) {}

  /**
   * Reads, chunks, embeds and indexes the claimed document. The index is swapped and the document completed in one
   * transaction, so that a lost claim leaves no trace of this try.
   * @throws ExtractionError, ClaimLostError, the signal's reason, or whatever broke
   */
  async run(claim: Claim<DocumentRecord>, signal: AbortSignal): Promise<void> {
    const progress = new ProgressReports((reached) => this.records.report(claim, reached), signal);
    try {
      await this.index(claim, progress);
    } finally {
      progress.stop();
    }
  }

  private async index(claim: Claim<DocumentRecord>, progress: ProgressReports): Promise<void> {
    const { row: document, fence } = claim;
    const { pages, pageCount, notice } = await this.read(document, progress);
    progress.signal.throwIfAborted();
    progress.report(indexingProgress(pageCount));
    const chunks = await chunkPages(pages, { filename: document.filename });
    const vectors = this.embeddings.enabled ? await this.embed(chunks, pageCount, progress) : undefined;
    progress.signal.throwIfAborted();
    progress.report(indexingProgress(pageCount));
    await this.dataSource.transaction(async (tx) => {
      const { uid: documentUid, ownerId, sha256: contentSha256 } = document;
      const source = { pipelineVersion: INDEX_PIPELINE_VERSION, pageCount, contentSha256 };
      await this.chunkIndex.replace(tx, { documentUid, ownerId, generation: fence, source }, chunks, vectors);
      await this.chunkIndex.keepOnly(tx, documentUid, fence);
      await this.records.complete(claim, tx, pageCount, notice);
    });
  }

  private async read(document: DocumentRecord, progress: ProgressReports): Promise<{ pages: PageText[] } & Extraction> {
    const { kind, ocr, ocrLanguages, storageKey } = document;
    if (!isFileKind(kind)) throw new ExtractionError('unsupported', `Files of the kind "${kind}" cannot be read.`);
    const file = await this.storage.localPath(storageKey);
    const pages: PageText[] = [];
    try {
      const extraction = await this.extractor.extract({
        path: file.path,
        kind,
        ocr,
        languages: ocrLanguages.length > 0 ? ocrLanguages : this.settings.ocrLanguages,
        ...(this.settings.ocrDataFolder ? { languageFolder: this.settings.ocrDataFolder } : {}),
        signal: progress.signal,
        onPage: ({ number, text, label, lines }, reached) => {
          pages.push({ number, text, ...(label ? { label } : {}), ...(lines ? { lines } : {}) });
          progress.report(readingProgress(reached));
        },
      });
      return { pages, ...extraction };
    } finally {
      await file.release();
    }
  }

  private async embed(
    chunks: readonly TextChunk[],
    pageCount: number,
    progress: ProgressReports,
  ): Promise<ChunkVectors> {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < chunks.length; start += EMBED_BATCH) {
      const texts = chunks.slice(start, start + EMBED_BATCH).map(textToEncode);
      vectors.push(...(await this.embeddings.embed(texts, progress.signal)));
      const share = vectors.length / chunks.length;
      const percent = READ_PERCENT + Math.floor(share * (EMBEDDED_PERCENT - READ_PERCENT));
      const status = `Computing vectors: ${Math.floor(100 * share)} %.`;
      progress.report({ stage: 'embedding', percent, pageNumber: pageCount, status });
    }
    return { modelId: this.embeddings.modelId, vectors };
  }
}

function readingProgress({ done, total, stage }: ExtractionProgress): IndexingProgress {
  const where = total === null ? `page ${done}` : `page ${done} of ${total}`;
  return {
    stage: stage === 'ocr' ? 'ocr' : 'reading',
    percent: total === null ? null : Math.floor((READ_PERCENT * done) / Math.max(total, 1)),
    pageNumber: done,
    status: stage === 'ocr' ? `Recognising text on ${where}.` : `Reading ${where}.`,
  };
}

function indexingProgress(pageCount: number): IndexingProgress {
  return { stage: 'indexing', percent: EMBEDDED_PERCENT, pageNumber: pageCount, status: 'Indexing the text.' };
}
