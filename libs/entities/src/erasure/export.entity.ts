import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { LeasedRow } from '../leased-row.js';

/** A copy of an account's data, for its owner. */
@Entity('exports')
@Check('exports_state_check', `state IN ('running', 'ready', 'failed')`)
@Index('exports_running_key', ['userId'], { unique: true, where: `state = 'running'` })
@Index('exports_user_id', ['userId'])
@Index('exports_expires_at', ['expiresAt'])
@Index('exports_next_attempt_at', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
export class Export extends LeasedRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'exports_pkey' })
  id: string;

  @Column('int')
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'exports_user_id_fkey' })
  user?: Relation<User>;

  @Column('text', { default: 'running' })
  state: string;

  @Column('text')
  storageKey: string;

  @Column('bigint', { nullable: true })
  sizeBytes: string | null;

  @Column('text', { nullable: true })
  sha256: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  /** Then the file goes. */
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  nextAttemptAt: Date | null;
}
