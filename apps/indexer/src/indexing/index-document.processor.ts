import { once } from 'node:events';
import { newId, runInContext } from '@app/common';
import { indexDocumentJob } from '@app/contracts';
import {
  ClaimLostError,
  DocumentClaims,
  IndexingRequests,
  isSuspect,
  QUEUE_CLASSES,
  type DocumentClaim,
  type Wanted,
} from '@app/documents';
import { FileMissingError, StorageUnavailableError } from '@app/integrations';
import { instruments, noteEnd } from '@app/observability';
import { HandlesJob } from '@app/queues';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { INDEXER_SETTINGS, type IndexerSettings } from '../indexer-settings.js';
import { ExtractionError } from '../pipeline/extraction-error.js';
import { DocumentIndexing } from './document-indexing.js';
import { Heartbeat } from './heartbeat.js';
import { WorkSlots } from './work-slots.js';

interface Begun {
  claim: DocumentClaim;
  end: () => void;
}

/** This process is going to stop: its documents go to the next worker. */
class WorkerStoppingError extends Error {}

const UNEXPECTED = 'Indexing ended with an unexpected error.';
const STORAGE_AWAY = 'The file storage could not be reached. Indexing will be tried again.';

/**
 * Takes a job: claims the document whose turn it is, has it indexed, writes down how it ended, and goes on while
 * there is work. The job of one owner who waits is so done behind thousands of another's.
 */
@Injectable()
export class IndexDocumentProcessor implements OnModuleDestroy {
  private readonly logger = new Logger(IndexDocumentProcessor.name);
  private readonly active = new Set<Heartbeat>();
  private readonly works = new Set<Promise<void>>();
  private readonly slots: WorkSlots;
  private stopping = false;

  constructor(
    @Inject(INDEXER_SETTINGS) private readonly settings: IndexerSettings,
    private readonly dataSource: DataSource,
    private readonly claims: DocumentClaims,
    private readonly requests: IndexingRequests,
    private readonly indexing: DocumentIndexing,
  ) {
    this.slots = new WorkSlots(settings.concurrency);
  }

  @HandlesJob(indexDocumentJob)
  async index({ uid, attempt }: { uid: string; attempt: number }): Promise<void> {
    // The queue forgets a job once it is handled, so another worker has to be asked.
    if (this.stopping) return this.passOn(uid, attempt);
    for (let wanted: Wanted = { wanted: uid }; !this.stopping; wanted = {}) {
      const begun = await this.slots.inTurn(async () => {
        const next = await this.claimNext(wanted);
        // While it is at work nothing else is begun: only then it alone can have taken the process down.
        if (next && isSuspect(next.claim.document)) await this.begin(next, uid, [...this.works]);
        return next;
      });
      if (!begun) return;
      if (!isSuspect(begun.claim.document)) await this.begin(begun, uid, null);
    }
  }

  /** @param others those at work that have to end first; null: it does not mind them */
  private async begin({ claim, end }: Begun, wanted: string, others: readonly Promise<void>[] | null): Promise<void> {
    const { uid } = claim.document;
    const work = () => this.work(claim, others).finally(end);
    // What is logged of another document is not of the request that asked for this one.
    const done =
      uid === wanted ? work() : runInContext({ requestId: newId(), job: `${indexDocumentJob.name}:${uid}` }, work);
    this.works.add(done);
    try {
      await done;
    } finally {
      this.works.delete(done);
    }
  }

  private async claimNext(wanted: Wanted): Promise<Begun | null> {
    const { workerName, leaseSeconds } = this.settings;
    const claim = await this.claims.claimNext(workerName, leaseSeconds, { ...wanted, classes: this.slots.allowed });
    if (!claim) return null;
    return { claim, end: this.slots.begin(claim.document.queueClass !== QUEUE_CLASSES.interactive) };
  }

  private async work(claim: DocumentClaim, others: readonly Promise<void>[] | null): Promise<void> {
    const heartbeat = new Heartbeat(claim, this.settings);
    this.active.add(heartbeat);
    if (this.stopping) heartbeat.abort(new WorkerStoppingError());
    const started = performance.now();
    try {
      if (others) await leftAlone(claim, heartbeat, others);
      await this.indexing.run(claim, heartbeat);
      note(claim, 'completed', null, started);
    } catch (error) {
      // Its own last write must not renew what is given up here.
      await heartbeat.stop();
      await this.settle(claim, error, started);
    } finally {
      await heartbeat.stop();
      this.active.delete(heartbeat);
    }
  }

  /** Before the queue is closed, which waits for the documents at work. */
  onModuleDestroy(): void {
    this.stopping = true;
    for (const heartbeat of this.active) heartbeat.abort(new WorkerStoppingError());
  }

  private async settle(claim: DocumentClaim, error: unknown, started: number): Promise<void> {
    const { uid } = claim.document;
    if (error instanceof ClaimLostError) {
      this.logger.log(`Document ${uid} is no longer this worker's.`);
    } else if (error instanceof WorkerStoppingError) {
      await this.claims.handBack(claim);
    } else if (error instanceof StorageUnavailableError) {
      this.logger.warn(`Document ${uid} waits for the storage: ${String(error.cause)}`);
      await this.claims.putOff(claim, STORAGE_AWAY);
    } else if (error instanceof FileMissingError || (error instanceof ExtractionError && error.permanent)) {
      await this.claims.fail(claim, error.message);
      note(claim, 'failed', error instanceof ExtractionError ? error.code : 'file_missing', started);
    } else {
      const known = error instanceof ExtractionError;
      if (!known) this.logger.error(error);
      const outcome = await this.claims.endTry(claim.document, known ? error.message : UNEXPECTED);
      if (outcome === 'queued') instruments.retries.inc({ work: 'document' });
      else if (outcome === 'failed') note(claim, 'failed', known ? error.code : 'internal_error', started);
    }
  }

  private async passOn(uid: string, attempt: number): Promise<void> {
    await this.dataSource.transaction((tx) => this.requests.enqueue({ uid, attempt }, tx, 1));
  }
}

/** Waits for those at work, keeping the claim. @throws what the heartbeat is aborted with, ClaimLostError */
async function leftAlone(claim: DocumentClaim, { signal }: Heartbeat, others: readonly Promise<void>[]): Promise<void> {
  const given = new AbortController();
  const stopped = once(signal, 'abort', { signal: given.signal }).catch(() => null);
  if (!signal.aborted) await Promise.race([Promise.allSettled(others), stopped]);
  given.abort();
  signal.throwIfAborted();
  await claim.beginAlone();
}

function note(
  { document }: DocumentClaim,
  outcome: 'completed' | 'failed',
  code: string | null,
  started: number,
): void {
  const { uid, ownerId, kind, attempt } = document;
  const seconds = (performance.now() - started) / 1000;
  noteEnd({ work: 'document', outcome, ids: { uid, kind, attempt }, ownerId, code, seconds });
}
