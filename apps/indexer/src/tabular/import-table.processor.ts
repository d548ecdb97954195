import { importTableJob } from '@app/contracts';
import { FileMissingError, StorageUnavailableError } from '@app/integrations';
import { instruments, noteEnd } from '@app/observability';
import { HandlesJob } from '@app/queues';
import { ImportClaimLostError, ImportClaims, ImportRequests, type ImportClaim } from '@app/tabular';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ExtractionError } from '../pipeline/extraction-error.js';
import { IMPORT_SETTINGS, type ImportSettings } from './import-settings.js';
import { LeaseKeeper } from './lease-keeper.js';
import { TableImport } from './table-import.js';

/** This process is going to stop: its files go to the next worker. */
class WorkerStoppingError extends Error {}

const UNEXPECTED = 'The import ended with an unexpected error.';
const STORAGE_AWAY = 'The file storage could not be reached. The import will be tried again.';

/** Answers the bell: claims the file whose turn it is, has it imported, and writes down how it ended. */
@Injectable()
export class ImportTableProcessor implements OnModuleDestroy {
  private readonly logger = new Logger(ImportTableProcessor.name);
  private readonly active = new Set<LeaseKeeper>();
  private stopping = false;

  constructor(
    @Inject(IMPORT_SETTINGS) private readonly settings: ImportSettings,
    private readonly dataSource: DataSource,
    private readonly claims: ImportClaims,
    private readonly requests: ImportRequests,
    private readonly imports: TableImport,
  ) {}

  @HandlesJob(importTableJob)
  async import({ uid, attempt }: { uid: string; attempt: number }): Promise<void> {
    // The queue forgets a job once it is handled, so another worker's bell has to be rung.
    if (this.stopping)
      return void (await this.dataSource.transaction((tx) => this.requests.enqueue({ uid, attempt }, tx, 1)));
    const claim = await this.claims.claimNext(this.settings.workerName, this.settings.leaseSeconds, uid);
    if (!claim) return;
    const keeper = new LeaseKeeper(claim, this.settings);
    this.active.add(keeper);
    if (this.stopping) keeper.abort(new WorkerStoppingError());
    const started = performance.now();
    try {
      await this.imports.run(claim, keeper);
      note(claim, 'completed', null, started);
    } catch (error) {
      // Its own last write must not renew what is given up here.
      await keeper.stop();
      await this.settle(claim, error, started);
    } finally {
      await keeper.stop();
      this.active.delete(keeper);
    }
  }

  /** Before the queue is closed, which waits for the imports at work. */
  onModuleDestroy(): void {
    this.stopping = true;
    for (const keeper of this.active) keeper.abort(new WorkerStoppingError());
  }

  private async settle(claim: ImportClaim, error: unknown, started: number): Promise<void> {
    const { uid } = claim.file;
    if (error instanceof ImportClaimLostError) {
      this.logger.log(`Table file ${uid} is no longer this worker's.`);
    } else if (error instanceof WorkerStoppingError) {
      await this.claims.handBack(claim);
    } else if (error instanceof StorageUnavailableError) {
      this.logger.warn(`Table file ${uid} waits for the storage: ${String(error.cause)}`);
      await this.claims.putOff(claim, STORAGE_AWAY);
    } else if (error instanceof FileMissingError || (error instanceof ExtractionError && error.permanent)) {
      await this.claims.fail(claim, error.message);
      note(claim, 'failed', error instanceof ExtractionError ? error.code : 'file_missing', started);
    } else {
      const known = error instanceof ExtractionError;
      if (!known) this.logger.error(error);
      const outcome = await this.claims.endTry(claim.file, known ? error.message : UNEXPECTED);
      if (outcome === 'queued') instruments.retries.inc({ work: 'table import' });
      else if (outcome === 'failed') note(claim, 'failed', known ? error.code : 'internal_error', started);
    }
  }
}

function note({ file }: ImportClaim, outcome: 'completed' | 'failed', code: string | null, started: number): void {
  const { uid, ownerId, kind, attempt } = file;
  const seconds = (performance.now() - started) / 1000;
  noteEnd({ work: 'table import', outcome, ids: { uid, kind, attempt }, ownerId, code, seconds });
}
