import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { LeasedRow } from '../leased-row.js';

/** An object of a processor of payments that is to be read anew, by one worker at a time. */
@Entity('payment_objects')
@Check('payment_objects_kind_check', `kind IN ('checkout','subscription')`)
@Index('payment_objects_next_attempt_at', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
@Index('payment_objects_read_at', ['readAt'], { where: 'next_attempt_at IS NULL' })
export class PaymentObject extends LeasedRow {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'payment_objects_pkey' })
  processor: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'payment_objects_pkey' })
  kind: 'checkout' | 'subscription';

  /** As the processor names it. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'payment_objects_pkey' })
  id: string;

  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  nextAttemptAt: Date | null;

  /** When it was last asked for, or read. */
  @Column('timestamptz', { default: () => 'now()' })
  readAt: Date;
}
