import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/** Approves the one account that registers with it. */
@Entity('promo_codes')
@Index('promo_codes_redeemed_by_id', ['redeemedById'])
export class PromoCode {
  /** Upper case. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'promo_codes_pkey' })
  code: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('int', { nullable: true })
  redeemedById: number | null;

  @ManyToOne(() => User, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'redeemed_by_id', foreignKeyConstraintName: 'promo_codes_redeemed_by_id_fkey' })
  redeemedBy?: Relation<User> | null;

  /** Stays when the account is gone: a code is usable once. */
  @Column('timestamptz', { nullable: true })
  redeemedAt: Date | null;
}

/** The one live code of an account for a purpose (docs/contract/accounts.md#confirmation). */
@Entity('one_time_codes')
@Check('one_time_codes_purpose_check', `purpose IN ('email', 'phone')`)
@Index('one_time_codes_mac_key', ['purpose', 'codeMac'], { unique: true })
@Index('one_time_codes_expires_at', ['expiresAt'])
export class OneTimeCode {
  @PrimaryColumn('int', { primaryKeyConstraintName: 'one_time_codes_pkey' })
  userId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'one_time_codes_pkey' })
  purpose: string;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'one_time_codes_user_id_fkey' })
  user?: Relation<User>;

  /** Keyed hash; codes of six digits could be found again from a plain one. */
  @Column('bytea')
  codeMac: Buffer;

  /** The address or number that it was sent to, and that it confirms. */
  @Column('text')
  destination: string;

  /** Wrong ones so far. */
  @Column('int', { default: 0 })
  attempts: number;

  @Column('timestamptz')
  expiresAt: Date;
}

/** Calls of what must stay rare, over windows longer than the minute of the rate limits. */
@Entity('slow_counters')
@Index('slow_counters_ends_at', ['endsAt'])
export class SlowCounter {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'slow_counters_pkey' })
  bucket: string;

  /** A hash of an address, or an account's number. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'slow_counters_pkey' })
  who: string;

  @Column('int')
  hits: number;

  @Column('timestamptz')
  endsAt: Date;
}
