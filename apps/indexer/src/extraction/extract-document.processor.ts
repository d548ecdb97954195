import { findDocumentRole } from '@app/access';
import { findDocumentByUid, UNFINISHED_STATES, type DocumentRecord } from '@app/documents';
import { ExtractionTasks, extractionWork, type ClaimedItem, type ExtractionTask } from '@app/extraction';
import { FileMissingError, StorageUnavailableError } from '@app/integrations';
import { GiveUpError, Performs, TryAgainError, type Claim } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ExtractionError } from '../pipeline/extraction-error.js';
import { DocumentExtraction } from './document-extraction.js';

const STORAGE_AWAY = 'The file storage could not be reached. The extraction will be tried again.';
/** Shorter than a lease, after which the sweeper asks again for what waits. */
const OUTAGE_DELAY_SECONDS = 10;
/** How often an item looks whether its document has been read, whose indexing wakes it: seldom, and less with time. */
const LOOK_SECONDS = { first: 2, most: 30 };

/** Has the document whose turn it is extracted into its table. */
@Injectable()
export class ExtractDocumentProcessor {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tasks: ExtractionTasks,
    private readonly extraction: DocumentExtraction,
  ) {}

  @Performs(extractionWork)
  async extract(claim: Claim<ClaimedItem>, signal: AbortSignal): Promise<void> {
    const task = await this.tasks.open(claim);
    const document = await this.findReadable(claim.row, task);
    if (task.columns.length === 0) return this.tasks.complete(claim, task, []);
    try {
      await this.extraction.run(claim, task, document, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof FileMissingError) throw new GiveUpError(error.message, 'file_missing');
      if (error instanceof StorageUnavailableError)
        throw new TryAgainError(STORAGE_AWAY, { afterSeconds: OUTAGE_DELAY_SECONDS, isTry: false });
      if (!(error instanceof ExtractionError)) throw error;
      const { code, message } = error;
      throw error.permanent ? new GiveUpError(message, code) : new TryAgainError(message, { code });
    }
  }

  /** With the rights of this moment. @throws GiveUpError; TryAgainError while it is being indexed for the first time */
  private async findReadable(
    { documentUid, requestedBy, ageSeconds }: ClaimedItem,
    { extraction }: ExtractionTask,
  ): Promise<DocumentRecord> {
    const document = documentUid === null ? null : await findDocumentByUid(this.dataSource, documentUid);
    if (!document) throw new GiveUpError('The document was deleted.', 'document_deleted');
    if (document.deletedAt !== null) throw new GiveUpError('The document is in the trash.', 'document_trashed');
    if ((await findDocumentRole(this.dataSource, requestedBy, document.uid)) === null)
      throw new GiveUpError('Whoever asked for it may not read the document any more.', 'document_not_readable');
    if (document.indexGeneration !== null) return document;
    const { processingState, lastError, status } = document;
    // A scan that was uploaded without recognition is read all the same by who asks for it now.
    const isAskedAnew = extraction.ocr === true && !document.ocr;
    if (processingState === 'failed' && !isAskedAnew)
      throw new GiveUpError(lastError || status || 'The document could not be indexed.', 'document_failed');
    if ((UNFINISHED_STATES as readonly string[]).includes(processingState))
      throw new TryAgainError('The document is still being indexed.', {
        afterSeconds: Math.min(LOOK_SECONDS.most, Math.max(LOOK_SECONDS.first, ageSeconds / 4)),
        isTry: false,
      });
    return document;
  }
}
