import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/**
 * A linked sign-in provider: its stable subject is unique with its issuer only
 * (docs/contract/accounts.md#single-sign-on).
 */
@Entity('sso_identities')
@Check('sso_identities_provider_check', `provider IN ('sso_org', 'sso_platform')`)
@Index('sso_identities_subject_key', ['provider', 'issuer', 'subject'], { unique: true })
@Index('sso_identities_user_key', ['userId', 'provider'], { unique: true })
export class SsoIdentity {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'sso_identities_pkey' })
  id: number;

  @Column('int')
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'sso_identities_user_id_fkey' })
  user?: Relation<User>;

  @Column('text')
  provider: string;

  @Column('text')
  issuer: string;

  @Column('text')
  subject: string;

  @Column('text', { default: '' })
  email: string;

  /** The client's recovery key, wrapped for this provider (docs/contract/accounts.md#keys-of-clients). */
  @Column('bytea', { nullable: true })
  rekWrappedSealed: Buffer | null;

  @Column('timestamptz', { default: () => 'now()' })
  linkedAt: Date;
}
