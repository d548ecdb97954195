import { fetchWork, type ClaimedFetch, type RequestFetches } from '@app/workflows';
import { Performs, TryAgainError, type Claim } from '@app/work';
import { Logger } from '@nestjs/common';
import { RemoteFileError, type RemoteFileIntake } from './remote-file-intake.js';

/** Of one request; their hosts are what is waited for. */
const FILES_AT_ONCE = 3;
/** A file is tried once more after each of these. */
const PAUSES_SECONDS = [1, 5];

/** Fetches what webhook calls name, before the call has its turn (docs/contract/webhooks.md#the-trigger). */
export class FetchRequestFilesProcessor {
  private readonly logger = new Logger(FetchRequestFilesProcessor.name);

  constructor(
    private readonly fetches: RequestFetches,
    private readonly intake: RemoteFileIntake,
  ) {}

  /** @throws TryAgainError while files are left, ClaimLostError, or whatever broke */
  @Performs(fetchWork)
  async fetch(claim: Claim<ClaimedFetch>, signal: AbortSignal): Promise<void> {
    const queue = [...claim.row.files];
    const pauses: number[] = [];
    const worker = async () => {
      for (let file = queue.shift(); file; file = queue.shift()) {
        const pause = await this.takeOne(claim, file, signal);
        if (pause !== null) pauses.push(pause);
      }
    };
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, worker));
    if (pauses.length > 0) throw new TryAgainError('', { afterSeconds: Math.max(...pauses), isTry: false });
    await this.fetches.finish(claim);
  }

  /** @returns the seconds after which the file is tried again; null when it is done with. */
  private async takeOne(
    claim: Claim<ClaimedFetch>,
    file: ClaimedFetch['files'][number],
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
