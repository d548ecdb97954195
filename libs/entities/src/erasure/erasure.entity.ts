import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { LeasedRow } from '../leased-row.js';

/** The erasure of an account: all that stays of it (docs/contract/accounts.md#deletion). */
@Entity('erasures')
@Check('erasures_state_check', `state IN ('running', 'completed')`)
@Index('erasures_user_id_key', ['userId'], { unique: true })
@Index('erasures_next_attempt_at', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
export class Erasure extends LeasedRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'erasures_pkey' })
  id: string;

  /** The number that the account had; it is never given again. */
  @Column('int')
  userId: number;

  @Column('text', { default: 'running' })
  state: string;

  @Column('text', { array: true, default: '{}' })
  finishedSteps: string[];

  /** Rows and files removed, by step. */
  @Column('jsonb', { default: {} })
  counts: Record<string, number>;

  @Column('timestamptz', { default: () => 'now()' })
  requestedAt: Date;

  @Column('timestamptz', { nullable: true })
  completedAt: Date | null;

  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  nextAttemptAt: Date | null;
}
