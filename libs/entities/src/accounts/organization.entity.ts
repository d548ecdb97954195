import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** Whom accounts belong to: a company found by the domain of an address, or one person alone. */
@Entity('organizations')
@Index('organizations_domain_key', { synchronize: false })
export class Organization {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'organizations_pkey' })
  id: number;

  @Column('text')
  name: string;

  /** Lower case; null for personal organisations. */
  @Column('text', { nullable: true })
  domain: string | null;

  @Column('boolean', { default: false })
  personal: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
