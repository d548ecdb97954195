import { IdempotencyStore } from '@app/auth';
import { ConflictError } from '@app/common';
import { AuthoringTurns } from '@app/workflows';
import { Injectable, Logger } from '@nestjs/common';
import type { ApiRequest } from '../http/api-request.js';
import { fingerprintOf, idempotencyKeyOf } from '../http/idempotency.interceptor.js';

interface Begun {
  turnId: string;
  /** Null when the turn has a result. Never rejects. */
  failure: Promise<unknown>;
}

/**
 * `Idempotency-Key` for turns (docs/contract/conventions.md#idempotency). What is kept under a key is the turn and
 * not its answer, so that a
 * repeated call gets events as well as JSON.
 */
@Injectable()
export class RepeatedTurns {
  private readonly logger = new Logger(RepeatedTurns.name);

  constructor(
    private readonly store: IdempotencyStore,
    private readonly turns: AuthoringTurns,
  ) {}

  /**
   * Begins the turn, or finds the one that the same call began before. The key of a turn that failed is free again.
   * @throws InvalidRequestError for a key out of shape; ConflictError `idempotency_key_conflict`,
   * `idempotency_in_progress`; what `begin` throws.
   */
  async once(userId: number, request: ApiRequest, begin: () => Promise<Begun>): Promise<Begun & { isReplay: boolean }> {
    const key = idempotencyKeyOf(request);
    if (key === undefined) return { ...(await begin()), isReplay: false };
    const claimed = await this.store.claim(userId, key, fingerprintOf(request));
    if ('answer' in claimed) {
      const { turn_id: turnId } = JSON.parse(claimed.answer.body) as { turn_id: string };
      if ((await this.turns.result(turnId)) === null)
        throw new ConflictError('The first request with this Idempotency-Key is still running.', {
          code: 'idempotency_in_progress',
          extra: { turn_id: turnId },
        });
      return { turnId, failure: Promise.resolve(null), isReplay: true };
    }
    const { claim } = claimed;
    const release = () =>
      this.store.release(userId, key, claim).catch((failure: Error) => this.logger.warn(failure.message));
    const begun = await begin().catch(async (error: unknown) => {
      await release();
      throw error;
    });
    const answer = { status: 200, body: JSON.stringify({ turn_id: begun.turnId }) };
    // The turn is under way, whether its key can be kept or not.
    await this.store.keep(userId, key, claim, answer).catch((failure: Error) => this.logger.error(failure));
    const failure = begun.failure.then(async (error) => {
      if (error !== null) await release();
      return error;
    });
    return { ...begun, failure, isReplay: false };
  }
}
