import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { Organization } from '../accounts/organization.entity.js';

/** A value that nodes of all workflows of an organisation name as `{{_secret.<name>}}`, beside those of their own workflow. */
@Entity('organization_secrets')
@Unique('organization_secrets_organization_id_name_key', ['organizationId', 'name'])
export class OrganizationSecret {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'organization_secrets_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => Organization, { name: 'organization_secrets_organization_id_fkey', onDelete: 'CASCADE' })
  organizationId: number;

  @Column('text')
  name: string;

  @Column('text', { default: '' })
  description: string;

  @Column('bytea')
  valueSealed: Buffer;

  /** Where it may be sent; null for anywhere that workflows may reach. */
  @Column('text', { array: true, nullable: true })
  hosts: string[] | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** When the value was set last. */
  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
