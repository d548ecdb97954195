import { Clock, InvalidRequestError, NotFoundError } from '@app/common';
import { InvalidEventError, PaymentProcessor, type ProcessorEvent } from '@app/integrations';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { paymentObjectWork } from './payment-object-work.js';

/** What a header may be long, of a processor. */
const LONGEST_SIGNATURE = 4096;

const STORE = `
  INSERT INTO payment_events (processor, event_id, type, object_kind, object_id, created_at, handled_at)
  VALUES ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), CASE WHEN $4::text IS NULL THEN now() END)
  ON CONFLICT (processor, event_id) DO NOTHING RETURNING event_id`;

/** Whoever is reading the object at this moment reads it again: no tries are counted then. */
const ASK = `
  INSERT INTO payment_objects AS o (processor, kind, id) VALUES ($1, $2, $3)
  ON CONFLICT (processor, kind, id) DO UPDATE SET next_attempt_at = now(), attempts = 0, read_at = now()
  RETURNING o.fence`;

/**
 * Takes the events of the processor: verified, stored once, and nothing done yet. What an event says is not kept; the
 * object that it names is read anew.
 */
@Injectable()
export class PaymentEventIntake {
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly processor: PaymentProcessor,
  ) {}

  /**
   * @param headers in lower case
   * @throws NotFoundError `billing_not_available`
   * @throws InvalidRequestError `invalid_signature`
   */
  async take(rawBody: Buffer | undefined, headers: Readonly<Record<string, string | string[] | undefined>>) {
    const { processor } = this;
    if (processor.kind === 'none')
      throw new NotFoundError('Nothing is sold on this deployment.', { code: 'billing_not_available' });
    const event = this.verify(processor, rawBody, headers[processor.signatureHeader]);
    const receipt = await this.dataSource.transaction((tx) => this.store(processor.kind, event, tx));
    if (receipt) this.outbox.publishSoon([receipt]);
  }

  private verify(
    processor: PaymentProcessor,
    rawBody: Buffer | undefined,
    signature: string | string[] | undefined,
  ): ProcessorEvent {
    const refused = new InvalidRequestError('The event was not signed by the processor, or not lately.', {
      code: 'invalid_signature',
    });
    if (rawBody === undefined || typeof signature !== 'string' || signature.length > LONGEST_SIGNATURE) throw refused;
    try {
      return processor.verifyEvent(rawBody, signature, this.clock.now());
    } catch (error) {
      throw error instanceof InvalidEventError ? refused : error;
    }
  }

  /** @returns null for one that was stored before, or asks for nothing */
  private async store(
    processor: string,
    { id, type, createdAt, object }: ProcessorEvent,
    tx: EntityManager,
  ): Promise<OutboxReceipt | null> {
    const values = [processor, id, type, object?.kind ?? null, object?.id ?? null, createdAt];
    const stored = await tx.query<unknown[]>(STORE, values);
    if (stored.length === 0 || object === null) return null;
    const [{ fence }] = await tx.query<[{ fence: number }]>(ASK, [processor, object.kind, object.id]);
    return this.claims.notify(paymentObjectWork, [processor, object.kind, object.id], fence, tx);
  }
}
