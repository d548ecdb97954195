import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Organization } from './organization.entity.js';

/** The application that an organisation registered with its identity provider. */
@Entity('organization_sso')
export class OrganizationSso {
  @PrimaryColumn('int', { primaryKeyConstraintName: 'organization_sso_pkey' })
  organizationId: number;

  @OneToOne(() => Organization, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'organization_id', foreignKeyConstraintName: 'organization_sso_organization_id_fkey' })
  organization?: Relation<Organization>;

  /** Null for the deployment's `SSO_ORG_ISSUER`; an operator alone sets another one. */
  @Column('text', { nullable: true })
  issuer: string | null;

  @Column('text')
  clientId: string;

  @Column('bytea')
  clientSecretSealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
