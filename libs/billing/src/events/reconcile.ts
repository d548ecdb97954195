import { takeUnreconciled } from '@app/entitlements';
import { PaymentProcessor } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Of one turn. All of a day: 288 turns. */
const MOST_OF_A_TURN = 500;
export const RECONCILE_SECONDS = 300;

/** One that somebody has told of is due already, and stays so. */
const ASK = `
  INSERT INTO payment_objects AS o (processor, kind, id, next_attempt_at)
  SELECT $1, a.kind, a.id, now() + random() * make_interval(secs => $4) FROM unnest($2::text[], $3::text[]) AS a (kind, id)
  ORDER BY a.kind, a.id
  ON CONFLICT (processor, kind, id) DO UPDATE SET next_attempt_at = coalesce(o.next_attempt_at, excluded.next_attempt_at)`;

/** An event may be lost on its way: each subscription that is not over is asked for once a day in any case. */
@Injectable()
export class Reconcile {
  constructor(
    private readonly dataSource: DataSource,
    private readonly processor: PaymentProcessor,
  ) {}

  /** @param overSeconds for how long the processor is asked for those of this turn @returns how many these are */
  async sweep(overSeconds = RECONCILE_SECONDS, limit = MOST_OF_A_TURN): Promise<number> {
    const { kind: processor } = this.processor;
    return this.dataSource.transaction(async (tx) => {
      const found = await takeUnreconciled(tx, processor, limit);
      if (found.length > 0)
        await tx.query(ASK, [processor, found.map(({ kind }) => kind), found.map(({ id }) => id), overSeconds]);
      return found.length;
    });
  }
}
