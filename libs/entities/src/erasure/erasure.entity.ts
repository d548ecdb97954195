import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The erasure of an account: all that stays of it (docs/contract/accounts.md#deletion). */
@Entity('erasures')
@Check('erasures_state_check', `state IN ('running', 'completed')`)
@Index('erasures_user_id_key', ['userId'], { unique: true })
export class Erasure {
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

  @Column('int', { default: 0 })
  attempts: number;

  @Column('int', { default: 0 })
  fence: number;

  @Column('timestamptz', { nullable: true })
  leaseExpiresAt: Date | null;

  @Column('text', { default: '' })
  lastError: string;

  @Column('timestamptz', { default: () => 'now()' })
  requestedAt: Date;

  @Column('timestamptz', { nullable: true })
  completedAt: Date | null;
}
