import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { Organization } from './organization.entity.js';

/** An account (docs/contract/accounts.md#the-account). */
@Entity('users')
@Check('users_language_check', `language IN ('en', 'ar')`)
@Check('users_organization_role_check', `organization_role IN ('owner', 'admin', 'member', 'viewer')`)
@Index('users_username_key', ['username'], { unique: true })
// Names that differ in case only would pass for each other.
@Index('users_username_lower_key', { synchronize: false })
@Index('users_email_lower_key', { synchronize: false })
@Index('users_email', ['email'])
@Index('users_organization_id', ['organizationId'])
@Index('users_webauthn_handle_key', ['webauthnHandle'], { unique: true })
@Index('users_scim_external_id_key', ['organizationId', 'scimExternalId'], { unique: true })
@Index('users_detached_from_id', ['detachedFromId'])
export class User {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'users_pkey' })
  id: number;

  @Column('text')
  username: string;

  @Column('text')
  email: string;

  /** bcrypt; null when the account has no usable password. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  @Column('text', { default: '' })
  firstName: string;

  @Column('text', { default: '' })
  lastName: string;

  /** Digits without the plus sign: at most 15, so a JavaScript number would do, but the driver gives text. */
  @Column('bigint', { nullable: true })
  phone: string | null;

  @Column('text', { default: 'en' })
  language: string;

  @Column('int', { nullable: true })
  llmModelId: number | null;

  @Column('int', { nullable: true })
  organizationId: number | null;

  /** In a shared organisation; of a personal one everybody is the owner. */
  @Column('text', { default: 'member' })
  organizationRole: 'owner' | 'admin' | 'member' | 'viewer';

  @ManyToOne(() => Organization, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'organization_id', foreignKeyConstraintName: 'users_organization_id_fkey' })
  organization?: Relation<Organization> | null;

  /** Deactivated accounts cannot sign in, and their sessions answer no more. */
  @Column('boolean', { default: true })
  isActive: boolean;

  @Column('boolean', { default: false })
  isStaff: boolean;

  /** Approved. */
  @Column('boolean', { default: false })
  verified: boolean;

  @Column('boolean', { default: false })
  emailVerified: boolean;

  @Column('boolean', { default: false })
  numberVerified: boolean;

  @Column('boolean', { default: false })
  useCloud: boolean;

  @Column('boolean', { default: true })
  isFirstTime: boolean;

  @Column('boolean', { default: false })
  dedicatedAgent: boolean;

  @Column('timestamptz', { nullable: true })
  lastLogin: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  dateJoined: Date;
  /** 64 random bytes that stand for the account in its passkeys; null until the first one. */
  @Column('bytea', { nullable: true })
  webauthnHandle: Buffer | null;

  /** How the directory of the organisation calls the account (SCIM). */
  @Column('text', { nullable: true })
  scimExternalId: string | null;

  /** As the directory writes it, when it does. */
  @Column('text', { nullable: true })
  scimDisplayName: string | null;

  /** The organisation whose directory removed the account, and may take it back. */
  @Column('int', { nullable: true })
  detachedFromId: number | null;

  @ManyToOne(() => Organization, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'detached_from_id', foreignKeyConstraintName: 'users_detached_from_id_fkey' })
  detachedFrom?: Relation<Organization> | null;

  /** Of what a directory sees of the account; written by a trigger. */
  @Column('timestamptz', { default: () => 'now()' })
  modifiedAt: Date;
}
