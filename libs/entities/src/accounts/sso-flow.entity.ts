import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Organization } from './organization.entity.js';
import { Session } from './session.entity.js';
import { User } from './user.entity.js';

/**
 * A sign-in at a provider that has begun: its row is taken away before the code is exchanged
 * (docs/contract/accounts.md#single-sign-on).
 */
@Entity('sso_flows')
@Check('sso_flows_provider_check', `provider IN ('sso_org', 'sso_platform')`)
@Index('sso_flows_state_hash_key', ['stateHash'], { unique: true })
@Index('sso_flows_organization_id', ['organizationId'])
@Index('sso_flows_expires_at', ['expiresAt'])
export class SsoFlow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sso_flows_pkey' })
  id: string;

  /** SHA-256 of the `state`. */
  @Column('bytea')
  stateHash: Buffer;

  /** SHA-256 of the cookie `sso_flow`. */
  @Column('bytea')
  browserHash: Buffer;

  @Column('text')
  provider: string;

  @Column('int', { nullable: true })
  organizationId: number | null;

  @ManyToOne(() => Organization, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'organization_id', foreignKeyConstraintName: 'sso_flows_organization_id_fkey' })
  organization?: Relation<Organization> | null;

  /** Nonce and PKCE verifier, as JSON. */
  @Column('bytea')
  checksSealed: Buffer;

  @Column('text', { nullable: true })
  redirectPath: string | null;

  @Column('timestamptz')
  expiresAt: Date;
}

/** What a session proved by `link-exchange`; `POST /users/sso/link/` uses it up (docs/contract/accounts.md#linking). */
@Entity('sso_verified_identities')
@Check('sso_verified_identities_provider_check', `provider IN ('sso_org', 'sso_platform')`)
@Index('sso_verified_identities_user_id', ['userId'])
@Index('sso_verified_identities_session_id', ['sessionId'])
@Index('sso_verified_identities_expires_at', ['expiresAt'])
export class SsoVerifiedIdentity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sso_verified_identities_pkey' })
  id: string;

  @Column('int')
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'sso_verified_identities_user_id_fkey' })
  user?: Relation<User>;

  @Column('uuid')
  sessionId: string;

  @ManyToOne(() => Session, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'session_id', foreignKeyConstraintName: 'sso_verified_identities_session_id_fkey' })
  session?: Relation<Session>;

  @Column('text')
  provider: string;

  @Column('text')
  issuer: string;

  @Column('text')
  subject: string;

  @Column('text', { default: '' })
  email: string;

  @Column('timestamptz')
  expiresAt: Date;
}
