import { instruments, noteEnd } from '@app/observability';
import { Logger } from '@nestjs/common';
import { ClaimLostError, GiveUpError, TryAgainError, type Claim } from './claim.js';
import type { WorkDefinition } from './define-work.js';
import { WorkerStoppingError, type LeaseKeeper } from './lease-keeper.js';
import type { WorkClaims } from './work-claims.js';

/**
 * Does the work and ends it with `WorkClaims.finish`. It ends early by a `GiveUpError`, a `TryAgainError`, or any other
 * error, which is written to the log and tried again.
 * @param signal aborts when the claim is lost or the process stops
 */
export type Work<Row extends object> = (claim: Claim<Row>, signal: AbortSignal) => Promise<void>;

const WORKER_LOST = 'The worker stopped unexpectedly.';
const LONGEST_MESSAGE = 500;

/** One try of one piece of work: claimed, kept, done, and its outcome written down. */
export class WorkPerformer {
  private readonly logger = new Logger(WorkPerformer.name);

  constructor(
    private readonly claims: WorkClaims,
    private readonly keeper: LeaseKeeper,
  ) {}

  /** @returns whether there was something to do, and nobody else at it */
  async perform<Row extends object>(
    definition: WorkDefinition<Row>,
    key: readonly string[],
    work: Work<Row>,
  ): Promise<boolean> {
    const claim = await this.claims.claimRung(definition, key);
    if (!claim) return false;
    const kept = this.keeper.keep(claim);
    const began = performance.now();
    const ended = (outcome: 'completed' | 'failed', code: string | null = null) =>
      noteEnd({
        work: definition.work,
        outcome,
        ids: definition.ids(claim.row),
        ownerId: definition.ownerOf(claim.row),
        code,
        seconds: (performance.now() - began) / 1000,
      });
    try {
      kept.signal.throwIfAborted();
      if (claim.attempt > definition.retry.tries) throw new GiveUpError(WORKER_LOST, 'worker_lost');
      await work(claim, kept.signal);
      ended('completed');
    } catch (error) {
      await this.keeper.letGo(kept);
      const failure = await this.settle(claim, kept.signal.aborted ? kept.signal.reason : error);
      if (failure !== null) ended('failed', failure);
    } finally {
      await this.keeper.letGo(kept);
    }
    return true;
  }

  /** @returns the code with which the work was given up; null when somebody goes on with it */
  private async settle(claim: Claim, error: unknown): Promise<string | null> {
    try {
      return await this.decide(claim, error);
    } catch (late) {
      const { work } = claim.definition;
      if (late instanceof ClaimLostError) this.logger.log(late.message);
      // Its lease runs out, and a sweeper brings it back.
      else this.logger.error(`The end of ${work} ${claim.key.join(':')} could not be written: ${String(late)}`);
      return null;
    }
  }

  private async decide(claim: Claim, error: unknown): Promise<string | null> {
    const { definition, attempt } = claim;
    if (error instanceof ClaimLostError) throw error;
    if (error instanceof WorkerStoppingError) {
      await this.claims.postpone(claim, { afterSeconds: 0, reason: '', isTry: false });
      return null;
    }
    if (error instanceof GiveUpError) {
      await this.claims.giveUp(claim, error.message);
      return error.code;
    }
    const { message, code, isTry, afterSeconds } =
      error instanceof TryAgainError ? error : this.unforeseen(claim, error);
    if (isTry && attempt >= definition.retry.tries) {
      await this.claims.giveUp(claim, attempt > 1 ? `${message} It was tried ${attempt} times.` : message);
      return code;
    }
    if (isTry) instruments.retries.inc({ work: definition.work });
    const { onRetry } = definition;
    await this.claims.postpone(claim, {
      afterSeconds: afterSeconds ?? definition.retry.delaySeconds(attempt),
      reason: message,
      isTry,
      ...(onRetry && { set: () => onRetry }),
    });
    return null;
  }

  private unforeseen({ definition }: Claim, error: unknown): TryAgainError {
    this.logger.error(error);
    const own = error instanceof Error ? error.message : String(error);
    return new TryAgainError(definition.unexpected ?? own.slice(0, LONGEST_MESSAGE), { code: 'internal_error' });
  }
}
