import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/**
 * One sign-in, and the family of all tokens that came of it: revoking it kills them together
 * (docs/contract/reliability.md#refresh-tokens).
 */
@Entity('sessions')
@Check('sessions_method_check', `method IN ('password', 'passkey', 'sso_org', 'sso_platform', 'api_token', 'oauth')`)
@Index('sessions_user_id', ['userId'])
@Index('sessions_revoked_at', ['revokedAt'], { where: 'revoked_at IS NOT NULL' })
@Index('sessions_absolute_expires_at', ['absoluteExpiresAt'])
export class Session {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sessions_pkey' })
  id: string;

  @Column('int')
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'sessions_user_id_fkey' })
  user?: Relation<User>;

  @Column('text')
  method: string;

  @Column('text')
  ip: string;

  @Column('text')
  userAgent: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** To the minute. */
  @Column('timestamptz', { default: () => 'now()' })
  lastSeenAt: Date;

  /** Set at sign-in and never moved. */
  @Column('timestamptz')
  absoluteExpiresAt: Date;

  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}
