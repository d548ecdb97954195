import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../accounts/organization.entity.js';
import { User } from '../accounts/user.entity.js';

/** What somebody pays for: their own plan, or that of their organisation. */
@Entity('subscriptions')
@Check(
  'subscriptions_status_check',
  `status IN ('incomplete','incomplete_expired','trialing','active','past_due','unpaid','canceled')`,
)
@Check('subscriptions_billing_period_check', `billing_period IN ('monthly','yearly')`)
@Check('subscriptions_seats_check', 'seats >= 1')
@Check('subscriptions_give_back_check', `give_back IN ('none','due','done')`)
@Index('subscriptions_owner_user_id', ['ownerUserId'])
@Index('subscriptions_organization_id', ['organizationId'])
// One at most of a pool is paid for: SUBSCRIPTION_LIVE of libs/entitlements.
@Index('subscriptions_live_of_user', ['ownerUserId'], {
  unique: true,
  where: `organization_id IS NULL AND status IN ('trialing','active','past_due','unpaid')`,
})
@Index('subscriptions_live_of_organization', ['organizationId'], {
  unique: true,
  where: `organization_id IS NOT NULL AND status IN ('trialing','active','past_due','unpaid')`,
})
@Index('subscriptions_coupon_code', ['couponCode'], { where: 'coupon_code IS NOT NULL' })
// What the sweeper looks for.
@Index('subscriptions_waiting', ['checkoutExpiresAt'], { where: `status = 'incomplete' OR give_back = 'due'` })
@Index('subscriptions_reconciled_at', ['reconciledAt'], {
  where: `status IN ('incomplete','trialing','active','past_due','unpaid')`,
})
// Whether somebody still pays as that customer.
@Index('subscriptions_processor_customer_id', ['processorCustomerId'], { where: 'processor_customer_id IS NOT NULL' })
@Index('subscriptions_processor_subscription_id_key', ['processorSubscriptionId'], { unique: true })
@Index('subscriptions_processor_checkout_id_key', ['processorCheckoutId'], { unique: true })
export class Subscription {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'subscriptions_pkey' })
  id: string;

  /** Who bought it, and alone may change it. Null once that account is gone. */
  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'subscriptions_owner_user_id_fkey', onDelete: 'SET NULL' })
  ownerUserId: number | null;

  /** Whose quotas it fills; null: the owner's alone. */
  @Column('int', { nullable: true })
  @ForeignKey(() => Organization, { name: 'subscriptions_organization_id_fkey', onDelete: 'SET NULL' })
  organizationId: number | null;

  @Column('text')
  status: 'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'unpaid' | 'canceled';

  @Column('text')
  planCode: string;

  /** The plan as it was sold, so that a plan that leaves the file stays what people pay for. */
  @Column('jsonb')
  plan: object;

  @Column('text')
  billingPeriod: 'monthly' | 'yearly';

  @Column('int')
  seats: number;

  @Column('text', { nullable: true })
  couponCode: string | null;

  /** The adapter that takes the payments. */
  @Column('text')
  processor: 'test' | 'stripe';

  @Column('text', { nullable: true })
  processorCustomerId: string | null;

  /** Null until it is paid, or its trial begins. */
  @Column('text', { nullable: true })
  processorSubscriptionId: string | null;

  /** The pay page it came from, or waits for. */
  @Column('text', { nullable: true })
  processorCheckoutId: string | null;

  @Column('text', { nullable: true })
  checkoutUrl: string | null;

  @Column('timestamptz', { nullable: true })
  checkoutExpiresAt: Date | null;

  @Column('timestamptz', { nullable: true })
  trialEnd: Date | null;

  @Column('timestamptz', { nullable: true })
  currentPeriodEnd: Date | null;

  @Column('timestamptz', { nullable: true })
  canceledAt: Date | null;

  @Column('text', { nullable: true })
  cancelReason: string | null;

  /** Counts readings of the processor's object: whoever reads takes the next number before, and writes what was read unless a later number was written. */
  @Column('int', { default: 0 })
  readsBegun: number;

  /** The highest number that was written. */
  @Column('int', { default: 0 })
  readWritten: number;

  /** Paid for although its pool was filled, or its order closed: the payments go back to who made them. */
  @Column('text', { default: 'none' })
  giveBack: 'none' | 'due' | 'done';

  /** When people were told that its trial ends soon. */
  @Column('timestamptz', { nullable: true })
  trialEndToldAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** When it was last asked for from the processor without an event, in case one was lost. */
  @Column('timestamptz', { default: () => 'now()' })
  reconciledAt: Date;

  /** When it was last read from the processor. */
  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
