import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What a processor of payments told of: which object, never what it said of it. Each is taken once. */
@Entity('payment_events')
@Check('payment_events_object_check', '(object_kind IS NULL) = (object_id IS NULL)')
@Index('payment_events_open', ['processor', 'objectKind', 'objectId'], { where: 'handled_at IS NULL' })
@Index('payment_events_handled_at', ['handledAt'], { where: 'handled_at IS NOT NULL' })
export class PaymentEvent {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'payment_events_pkey' })
  processor: string;

  /** As the processor names it. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'payment_events_pkey' })
  eventId: string;

  @Column('text')
  type: string;

  /** Null for what concerns no subscription. */
  @Column('text', { nullable: true })
  objectKind: 'checkout' | 'subscription' | null;

  @Column('text', { nullable: true })
  objectId: string | null;

  /** By the processor's clock. */
  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  receivedAt: Date;

  /** When its object had been read anew; null until then. */
  @Column('timestamptz', { nullable: true })
  handledAt: Date | null;
}
