import { fetchRequestFilesJob } from '@app/contracts';
import { HandlesJob } from '@app/queues';
import { type FetchClaim, FetchLostError, type RequestFetches } from '@app/workflows';
import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { FetchHeartbeat } from './fetch-heartbeat.js';
import { RemoteFileError, type RemoteFileIntake } from './remote-file-intake.js';

/** Of one request; their hosts are what is waited for. */
const FILES_AT_ONCE = 3;
/** A file is tried once more after each of these. */
const PAUSES_SECONDS = [1, 5];

/** Fetches what webhook calls name, before the call has its turn (docs/contract/webhooks.md#the-trigger). */
export class FetchRequestFilesProcessor implements OnModuleDestroy {
  private readonly logger = new Logger(FetchRequestFilesProcessor.name);
  private readonly active = new Set<FetchHeartbeat>();

  constructor(
    private readonly fetches: RequestFetches,
    private readonly intake: RemoteFileIntake,
    private readonly heartbeatSeconds: number,
  ) {}

  @HandlesJob(fetchRequestFilesJob)
  async fetch({ requestId }: { requestId: string }): Promise<void> {
    const claim = await this.fetches.claim(requestId);
    if (!claim) return;
    const heartbeat = new FetchHeartbeat(this.fetches, claim, this.heartbeatSeconds);
    this.active.add(heartbeat);
    try {
      await this.work(claim, heartbeat.signal);
    } catch (error) {
      if (error instanceof FetchLostError) this.logger.log(error.message);
      // Its lease runs out soon, and somebody goes on with what is left.
      else if (!heartbeat.signal.aborted) throw error;
    } finally {
      await heartbeat.stop();
      this.active.delete(heartbeat);
    }
  }

  /** Gives the requests back: another worker goes on at once. */
  onModuleDestroy(): void {
    for (const heartbeat of this.active) heartbeat.handOver();
  }

  private async work(claim: FetchClaim, signal: AbortSignal): Promise<void> {
    const queue = [...claim.files];
    const pauses: number[] = [];
    const worker = async () => {
      for (let file = queue.shift(); file; file = queue.shift()) {
        const pause = await this.takeOne(claim, file, signal);
        if (pause !== null) pauses.push(pause);
      }
    };
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, worker));
    if (pauses.length > 0) await this.fetches.putOff(claim, Math.max(...pauses));
    else await this.fetches.finish(claim);
  }

  /** @returns the seconds after which the file is tried again; null when it is done with. */
  private async takeOne(
    claim: FetchClaim,
    file: FetchClaim['files'][number],
    signal: AbortSignal,
  ): Promise<number | null> {
    try {
      await this.intake.take(claim, file, signal);
      return null;
    } catch (error) {
      if (!(error instanceof RemoteFileError)) throw error;
      const pause = error.isPassing ? (PAUSES_SECONDS[file.tries] ?? null) : null;
      if (error.cause && error.message === 'The file could not be stored.') this.logger.warn(String(error.cause));
      await this.fetches.failed(claim, file.position, error.message, pause === null);
      return pause;
    }
  }
}
