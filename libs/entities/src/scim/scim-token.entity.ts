import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Organization } from '../accounts/organization.entity.js';

/** With it the directory of an organisation manages the organisation's accounts. Only its hash is kept. */
@Entity('scim_tokens')
@Index('scim_tokens_token_hash_key', ['tokenHash'], { unique: true })
@Index('scim_tokens_organization_id', ['organizationId'])
export class ScimToken {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'scim_tokens_pkey' })
  id: string;

  @Column('int')
  organizationId: number;

  @ManyToOne(() => Organization, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'organization_id', foreignKeyConstraintName: 'scim_tokens_organization_id_fkey' })
  organization?: Relation<Organization>;

  /** SHA-256 of the token. */
  @Column('bytea')
  tokenHash: Buffer;

  /** By which operators tell their tokens apart. */
  @Column('text')
  name: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** To the minute. */
  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}
