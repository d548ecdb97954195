import { setTimeout as sleep } from 'node:timers/promises';
import { type Claimed, IdempotencyStore } from '@app/auth';
import { ConflictError } from '@app/common';
import { Injectable, Logger } from '@nestjs/common';
import type { ApiRequest } from '../http/api-request.js';
import { fingerprintOf, idempotencyKeyOf } from '../http/idempotency.interceptor.js';

/** Between the claim of a key and the turn that it leads to lies one transaction. */
const PATIENCE_MS = 5000;
const PAUSE_MS = 50;

export interface BegunCall {
  turnId: string;
  isReplay: boolean;
  /** The call failed for good: the key may be used for another try. */
  free(): Promise<void>;
}

/**
 * `Idempotency-Key` for turns (docs/contract/conventions.md#idempotency): what is kept under a key is the turn, so
 * that a repeated call waits for
 * the same one, also while that is at work.
 */
@Injectable()
export class RepeatedCalls {
  private readonly logger = new Logger(RepeatedCalls.name);

  constructor(private readonly store: IdempotencyStore) {}

  /**
   * @param begin gives the id of the turn.
   * @throws InvalidRequestError for a key out of shape; ConflictError `idempotency_key_conflict`; what `begin` throws.
   */
  async once(userId: number, request: ApiRequest, begin: () => Promise<string>): Promise<BegunCall> {
    const key = idempotencyKeyOf(request);
    if (key === undefined) return { turnId: await begin(), isReplay: false, free: async () => {} };
    const claimed = await this.claim(userId, key, fingerprintOf(request));
    if ('answer' in claimed) {
      const { turn_id: turnId } = JSON.parse(claimed.answer.body) as { turn_id: string };
      return { turnId, isReplay: true, free: async () => {} };
    }
    const { claim } = claimed;
    const free = () =>
      this.store.release(userId, key, claim).catch((failure: Error) => this.logger.warn(failure.message));
    try {
      const turnId = await begin();
      const answer = { status: 200, body: JSON.stringify({ turn_id: turnId }) };
      // The turn is under way, whether its key can be kept or not.
      await this.store.keep(userId, key, claim, answer).catch((failure: Error) => this.logger.error(failure));
      return { turnId, isReplay: false, free };
    } catch (error) {
      await free();
      throw error;
    }
  }

  private async claim(userId: number, key: string, fingerprint: Buffer): Promise<Claimed> {
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
      try {
        return await this.store.claim(userId, key, fingerprint);
      } catch (error) {
        const isBusy = error instanceof ConflictError && error.code === 'idempotency_in_progress';
        if (!isBusy || Date.now() > until) throw error;
      }
    }
  }
}
