import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A processor delivers an event again for some days at most, and then it must still be known. */
const KEPT_DAYS = 30;
/** What the processor refused to tell more of. */
const UNHANDLED_DAYS = 90;
const MOST_AT_ONCE = 1000;

/** Forgets what was handled long ago. */
@Injectable()
export class PaymentEventRetention {
  constructor(private readonly dataSource: DataSource) {}

  async sweep(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM payment_events WHERE (processor, event_id) IN (
         SELECT processor, event_id FROM payment_events
         WHERE handled_at < now() - make_interval(days => $1)
           OR handled_at IS NULL AND received_at < now() - make_interval(days => $3) LIMIT $2)`,
      [KEPT_DAYS, MOST_AT_ONCE, UNHANDLED_DAYS],
    );
    await this.dataSource.query(
      `DELETE FROM payment_objects WHERE (processor, kind, id) IN (
         SELECT processor, kind, id FROM payment_objects
         WHERE next_attempt_at IS NULL AND read_at < now() - make_interval(days => $1) LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)`,
      [KEPT_DAYS, MOST_AT_ONCE],
    );
  }
}
