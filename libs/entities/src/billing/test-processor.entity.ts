import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Whoever pays at the test processor (BILLING=test). */
@Entity('billing_test_customers')
export class BillingTestCustomer {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'billing_test_customers_pkey' })
  id: string;

  /** Empty once the account is gone. */
  @Column('text')
  email: string;

  /** Whether their payments fail, until they say otherwise. */
  @Column('boolean', { default: false })
  declines: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** A pay page of the test processor. */
@Entity('billing_test_checkouts')
@Check('billing_test_checkouts_status_check', `status IN ('open','complete','expired')`)
@Index('billing_test_checkouts_idempotency_key_key', ['idempotencyKey'], { unique: true })
@Index('billing_test_checkouts_untold', ['createdAt'], { where: 'told_revision < revision' })
export class BillingTestCheckout {
  /** Cannot be guessed: whoever has it may pay. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'billing_test_checkouts_pkey' })
  id: string;

  @Column('text')
  idempotencyKey: string;

  @Column('text')
  reference: string;

  @Column('text', { default: 'open' })
  status: 'open' | 'complete' | 'expired';

  /** What was ordered, but the address. */
  @Column('jsonb')
  ordered: object;

  /** Empty once it is complete, or over. */
  @Column('text')
  email: string;

  @Column('text', { nullable: true })
  customerId: string | null;

  @Column('text', { nullable: true })
  subscriptionId: string | null;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Rises with each change. */
  @Column('int', { default: 1 })
  revision: number;

  /** The highest of which an event was delivered. */
  @Column('int', { default: 1 })
  toldRevision: number;
}

/** A subscription of the test processor. */
@Entity('billing_test_subscriptions')
@Check('billing_test_subscriptions_status_check', `status IN ('trialing','active','past_due','unpaid','canceled')`)
@Check('billing_test_subscriptions_period_check', `period IN ('monthly','yearly')`)
@Index('billing_test_subscriptions_customer_id', ['customerId'])
@Index('billing_test_subscriptions_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Index('billing_test_subscriptions_untold', ['createdAt'], { where: 'told_revision < revision' })
export class BillingTestSubscription {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'billing_test_subscriptions_pkey' })
  id: string;

  @Column('text')
  reference: string;

  @Column('text')
  @ForeignKey(() => BillingTestCustomer, { name: 'billing_test_subscriptions_customer_id_fkey' })
  customerId: string;

  @Column('text')
  status: 'trialing' | 'active' | 'past_due' | 'unpaid' | 'canceled';

  @Column('text')
  planCode: string;

  @Column('text')
  planName: string;

  @Column('text')
  period: 'monthly' | 'yearly';

  @Column('int')
  seats: number;

  /** Of one seat and period, in minor units. */
  @Column('bigint')
  unitAmount: string;

  @Column('text')
  currency: string;

  @Column('jsonb', { nullable: true })
  coupon: object | null;

  /** Whether the coupon took part in the payment of the present period. */
  @Column('boolean', { default: false })
  couponApplied: boolean;

  /** What changes gave back, in minor units: the next payments are so much less. */
  @Column('bigint', { default: 0 })
  credit: string;

  /** From which periods are counted. */
  @Column('timestamptz')
  anchorAt: Date;

  /** Periods that have begun. */
  @Column('int', { default: 0 })
  periods: number;

  @Column('timestamptz')
  periodStart: Date;

  @Column('timestamptz')
  periodEnd: Date;

  @Column('timestamptz', { nullable: true })
  trialEnd: Date | null;

  /** Of the open invoice. */
  @Column('int', { default: 0 })
  failedTries: number;

  /** End of the trial, of the period, or the next try; null: nothing happens by itself any more. */
  @Column('timestamptz', { nullable: true })
  dueAt: Date | null;

  /** Of the last change that was asked for. */
  @Column('text', { nullable: true })
  changeKey: string | null;

  @Column('timestamptz', { nullable: true })
  canceledAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('int', { default: 1 })
  revision: number;

  @Column('int', { default: 0 })
  toldRevision: number;
}

/** An invoice of the test processor: what somebody bought for how much, without their name. */
@Entity('billing_test_invoices')
@Check('billing_test_invoices_status_check', `status IN ('paid','open','failed','refunded','void')`)
@Index('billing_test_invoices_subscription_id', ['subscriptionId', 'createdAt'])
export class BillingTestInvoice {
  /** Cannot be guessed: whoever has it may read it. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'billing_test_invoices_pkey' })
  id: string;

  @Column('text')
  @ForeignKey(() => BillingTestSubscription, { name: 'billing_test_invoices_subscription_id_fkey' })
  subscriptionId: string;

  /** For people. */
  @Column('text')
  number: string;

  @Column('text')
  status: 'paid' | 'open' | 'failed' | 'refunded' | 'void';

  @Column('text')
  description: string;

  @Column('text')
  planCode: string;

  @Column('text')
  period: 'monthly' | 'yearly';

  @Column('int')
  seats: number;

  @Column('bigint')
  amount: string;

  @Column('text')
  currency: string;

  @Column('text', { nullable: true })
  couponCode: string | null;

  @Column('timestamptz')
  periodStart: Date;

  @Column('timestamptz')
  periodEnd: Date;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  paidAt: Date | null;
}

/** A portal page of the test processor. */
@Entity('billing_test_portals')
@Index('billing_test_portals_expires_at', ['expiresAt'])
@Index('billing_test_portals_customer_id', ['customerId'])
export class BillingTestPortal {
  /** Cannot be guessed. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'billing_test_portals_pkey' })
  id: string;

  @Column('text')
  @ForeignKey(() => BillingTestCustomer, { name: 'billing_test_portals_customer_id_fkey', onDelete: 'CASCADE' })
  customerId: string;

  @Column('text')
  returnUrl: string;

  @Column('timestamptz')
  expiresAt: Date;
}
