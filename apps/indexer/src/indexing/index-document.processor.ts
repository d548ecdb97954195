import { indexingWork, type DocumentRecord } from '@app/documents';
import { Extractions } from '@app/extraction';
import { FileMissingError, StorageUnavailableError } from '@app/integrations';
import { GiveUpError, Performs, TryAgainError, type Claim } from '@app/work';
import { Injectable, Logger } from '@nestjs/common';
import { ExtractionError } from '../pipeline/extraction-error.js';
import { DocumentIndexing } from './document-indexing.js';

const STORAGE_AWAY = 'The file storage could not be reached. Indexing will be tried again.';
/** Shorter than a lease, after which the sweeper asks again for what waits. */
const OUTAGE_DELAY_SECONDS = 10;

/** Has the document whose turn it is indexed. */
@Injectable()
export class IndexDocumentProcessor {
  private readonly logger = new Logger(IndexDocumentProcessor.name);

  constructor(
    private readonly indexing: DocumentIndexing,
    private readonly extractions: Extractions,
  ) {}

  @Performs(indexingWork)
  async index(claim: Claim<DocumentRecord>, signal: AbortSignal): Promise<void> {
    await this.indexClaimed(claim, signal);
    // Whoever is not woken looks by itself.
    await this.extractions.documentIsRead(claim.row.uid).catch((error: unknown) => this.logger.warn(error));
  }

  private async indexClaimed(claim: Claim<DocumentRecord>, signal: AbortSignal): Promise<void> {
    try {
      await this.indexing.run(claim, signal);
    } catch (error) {
      if (error instanceof FileMissingError) throw new GiveUpError(error.message, 'file_missing');
      if (error instanceof StorageUnavailableError) {
        this.logger.warn(`Document ${claim.row.uid} waits for the storage: ${String(error.cause)}`);
        // What every document needs is down: no fault of this one, however long that lasts.
        throw new TryAgainError(STORAGE_AWAY, { afterSeconds: OUTAGE_DELAY_SECONDS, isTry: false });
      }
      if (!(error instanceof ExtractionError)) throw error;
      const { code, message } = error;
      throw error.permanent ? new GiveUpError(message, code) : new TryAgainError(message, { code });
    }
  }
}
