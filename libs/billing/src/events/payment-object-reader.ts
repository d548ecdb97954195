import { PaymentProcessor, PaymentProcessorError } from '@app/integrations';
import { type Claim, GiveUpError, TryAgainError, WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SubscriptionSync } from '../sync/subscription-sync.js';
import type { ClaimedObject } from './payment-object-work.js';

/** Also for an object that is not ours: it is passed over. */
const HANDLED = `
  UPDATE payment_events SET handled_at = now()
  WHERE processor = $1 AND object_kind = $2 AND object_id = $3 AND handled_at IS NULL AND received_at <= $4::timestamptz`;

/** Reads an object of the processor anew, and has our row say the same. May be done again at will. */
@Injectable()
export class PaymentObjectReader {
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly processor: PaymentProcessor,
    private readonly sync: SubscriptionSync,
  ) {}

  async read(claim: Claim<ClaimedObject>, signal: AbortSignal): Promise<void> {
    const { processor, kind, id, claimedAt } = claim.row;
    if (processor !== this.processor.kind)
      throw new GiveUpError(`This deployment takes its payments by ${this.processor.kind}.`, 'other_processor');
    signal.throwIfAborted();
    await this.sync.sync({ kind, id }).catch((error: unknown) => {
      throw error instanceof PaymentProcessorError ? refused(error) : error;
    });
    await this.dataSource.transaction(async (tx) => {
      await tx.query(HANDLED, [processor, kind, id, claimedAt]);
      const nextAttempt = (param: (value: unknown) => string) =>
        // Told of again in the meantime.
        `CASE WHEN w.attempts < ${param(claim.attempt)} THEN now() END`;
      await this.claims.finish(claim, { nextAttempt, set: () => 'read_at = now()' }, tx);
    });
  }
}

const refused = ({ message, isTransient }: PaymentProcessorError) =>
  isTransient
    ? new TryAgainError(message, { code: 'payment_processor_error' })
    : // Tried again by the next event, or the next day.
      new GiveUpError(message, 'payment_processor_error');
