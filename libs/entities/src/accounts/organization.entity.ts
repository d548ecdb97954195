import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** Whom accounts belong to: a company found by the domain of an address, or one person alone. */
@Entity('organizations')
@Check('organizations_seat_limit_check', 'seat_limit >= 0')
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

  /** Active members at most, as operators say; null for any number. */
  @Column('int', { nullable: true })
  seatLimit: number | null;

  /** The same, as its subscription says. */
  @Column('int', { nullable: true })
  planSeats: number | null;

  /** Whether the organisation has proved that the domain is its own. */
  @Column('boolean', { default: false })
  domainVerified: boolean;
}
