import { FileMissingError, StorageUnavailableError } from '@app/integrations';
import { importWork, type ClaimedImport } from '@app/tabular';
import { GiveUpError, Performs, TryAgainError, type Claim } from '@app/work';
import { Injectable, Logger } from '@nestjs/common';
import { ExtractionError } from '../pipeline/extraction-error.js';
import { TableImport } from './table-import.js';

const STORAGE_AWAY = 'The file storage could not be reached. The import will be tried again.';
/** Shorter than a lease, after which the sweeper asks again for what waits. */
const OUTAGE_DELAY_SECONDS = 10;

/** Has the file whose turn it is imported. */
@Injectable()
export class ImportTableProcessor {
  private readonly logger = new Logger(ImportTableProcessor.name);

  constructor(private readonly imports: TableImport) {}

  @Performs(importWork)
  async import(claim: Claim<ClaimedImport>, signal: AbortSignal): Promise<void> {
    try {
      await this.imports.run(claim, signal);
    } catch (error) {
      if (error instanceof FileMissingError) throw new GiveUpError(error.message, 'file_missing');
      if (error instanceof StorageUnavailableError) {
        this.logger.warn(`Table file ${claim.row.uid} waits for the storage: ${String(error.cause)}`);
        // No fault of the file, however long it lasts.
        throw new TryAgainError(STORAGE_AWAY, { afterSeconds: OUTAGE_DELAY_SECONDS, isTry: false });
      }
      if (!(error instanceof ExtractionError)) throw error;
      const { code, message } = error;
      throw error.permanent ? new GiveUpError(message, code) : new TryAgainError(message, { code });
    }
  }
}
