import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What the DNS record that proves a domain is made with; gone once it has proved it. */
@Entity('sso_domain_challenges')
@Index('sso_domain_challenges_expires_at', ['expiresAt'])
export class SsoDomainChallenge {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'sso_domain_challenges_pkey' })
  domain: string;

  @Column('bytea')
  nonce: Buffer;

  @Column('timestamptz')
  expiresAt: Date;
}

/** An operator's leave to set the sign-in of one domain up; gone once it was used. */
@Entity('sso_setup_tokens')
@Index('sso_setup_tokens_token_hash_key', ['tokenHash'], { unique: true })
@Index('sso_setup_tokens_expires_at', ['expiresAt'])
export class SsoSetupToken {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sso_setup_tokens_pkey' })
  id: string;

  /** SHA-256. */
  @Column('bytea')
  tokenHash: Buffer;

  @Column('text')
  domain: string;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
