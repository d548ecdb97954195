import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A job that was committed together with the change that asked for it, until the queue has accepted it. */
@Entity('outbox_messages')
@Index('outbox_messages_available_at', ['availableAt'])
export class OutboxMessage {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'outbox_messages_pkey',
  })
  id: string;

  @Column('text')
  job: string;

  @Column('text')
  queue: string;

  /** Dedupes while the job is in the queue. */
  @Column('text')
  jobKey: string;

  @Column('jsonb')
  payload: Record<string, unknown>;

  /** Follows the request into the worker's log lines. */
  @Column('text', { nullable: true })
  requestId: string | null;

  @Column('int', { default: 0 })
  attempts: number;

  @Column('text', { default: '' })
  lastError: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** The relay leaves the row alone until then, so that the process that wrote it can publish it first. */
  @Column('timestamptz')
  availableAt: Date;
}
