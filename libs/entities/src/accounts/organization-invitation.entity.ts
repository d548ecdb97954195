import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Organization } from './organization.entity.js';
import { User } from './user.entity.js';

/** Somebody was asked to join an organisation. The row ends with the answer. */
@Entity('organization_invitations')
@Check('organization_invitations_role_check', `role IN ('owner', 'admin', 'member', 'viewer')`)
@Unique('organization_invitations_organization_id_address_key', ['organizationId', 'address'])
@Index('organization_invitations_token_hash_key', ['tokenHash'], { unique: true })
@Index('organization_invitations_address', ['address'])
@Index('organization_invitations_inviter_id', ['inviterId'])
export class OrganizationInvitation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'organization_invitations_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => Organization, { name: 'organization_invitations_organization_id_fkey', onDelete: 'CASCADE' })
  organizationId: number;

  /** Lower case. */
  @Column('text')
  address: string;

  @Column('text')
  role: 'owner' | 'admin' | 'member' | 'viewer';

  /** It is good while this person may give the role. */
  @Column('int')
  @ForeignKey(() => User, { name: 'organization_invitations_inviter_id_fkey', onDelete: 'CASCADE' })
  inviterId: number;

  @Column('bytea')
  tokenHash: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
