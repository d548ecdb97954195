import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Organization } from '../accounts/organization.entity.js';
import { User } from '../accounts/user.entity.js';

/** A group of an organisation's directory; its members see its name among their roles. */
@Entity('scim_groups')
// Names that differ in case only would pass for each other.
@Index('scim_groups_display_name_key', { synchronize: false })
@Index('scim_groups_external_id_key', ['organizationId', 'externalId'], { unique: true })
export class ScimGroup {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'scim_groups_pkey' })
  id: string;

  @Column('int')
  organizationId: number;

  @ManyToOne(() => Organization, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'organization_id', foreignKeyConstraintName: 'scim_groups_organization_id_fkey' })
  organization?: Relation<Organization>;

  @Column('text')
  displayName: string;

  @Column('text', { nullable: true })
  externalId: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  modifiedAt: Date;
}

/** Counts only while the account is of the group's organisation. */
@Entity('scim_group_members')
@Index('scim_group_members_user_id', ['userId'])
export class ScimGroupMember {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'scim_group_members_pkey' })
  groupId: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'scim_group_members_pkey' })
  userId: number;

  @ManyToOne(() => ScimGroup, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'group_id', foreignKeyConstraintName: 'scim_group_members_group_id_fkey' })
  group?: Relation<ScimGroup>;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'scim_group_members_user_id_fkey' })
  user?: Relation<User>;
}
