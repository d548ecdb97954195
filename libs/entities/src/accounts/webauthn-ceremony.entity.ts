import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/**
 * One registration of a passkey, or one sign-in with one (docs/contract/accounts.md#passkeys): issued, then consumed
 * or expired.
 */
@Entity('webauthn_ceremonies')
@Check(
  'webauthn_ceremonies_kind_check',
  `(kind = 'register' AND user_id IS NOT NULL) OR (kind = 'login' AND user_id IS NULL)`,
)
@Index('webauthn_ceremonies_challenge_key', ['challenge'], { unique: true })
@Index('webauthn_ceremonies_user_id', ['userId'])
@Index('webauthn_ceremonies_expires_at', ['expiresAt'])
export class WebauthnCeremony {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'webauthn_ceremonies_pkey' })
  id: string;

  @Column('text')
  kind: string;

  /** Who registers; null while it is not known who signs in. */
  @Column('int', { nullable: true })
  userId: number | null;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'webauthn_ceremonies_user_id_fkey' })
  user?: Relation<User> | null;

  /** 32 random bytes, base64url. */
  @Column('text')
  challenge: string;

  /** What the new passkey is to be called; may be empty. */
  @Column('text', { default: '' })
  name: string;

  @Column('timestamptz')
  expiresAt: Date;

  /** Set before the answer is verified, so that a challenge serves once whatever comes of it. */
  @Column('timestamptz', { nullable: true })
  consumedAt: Date | null;
}
