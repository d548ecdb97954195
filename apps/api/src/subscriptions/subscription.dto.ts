import type { PlanBuyer } from '@app/auth';
import { BILLING_PERIODS, type SubscriptionRow } from '@app/entitlements';
import { Entitlements } from '../profile/entitlements.dto.js';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  NestedField,
  StringField,
  UuidField,
} from '../http/fields.js';

const STATUSES = ['incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'unpaid', 'canceled'];

export class SubscriptionResponse {
  @UuidField()
  id: string;

  @ChoiceField(STATUSES)
  status: string;

  @StringField()
  plan_code: string;

  @ChoiceField(BILLING_PERIODS)
  billing_period: string;

  @IntegerField()
  seats: number;

  @DateTimeField({ nullable: true })
  trial_end: Date | null;

  @DateTimeField({ nullable: true })
  current_period_end: Date | null;

  @DateTimeField({ nullable: true })
  canceled_at: Date | null;

  @ChoiceField(['organization', 'user'], { description: 'Whose quotas it fills.' })
  owner_type: string;

  @BooleanField({ description: 'Whether the caller may change and cancel it.' })
  owner: boolean;
}

export class ChangedSubscriptionResponse {
  @StringField()
  message: string;

  @NestedField(() => SubscriptionResponse)
  subscription: SubscriptionResponse;

  @NestedField(() => Entitlements)
  entitlements: Entitlements;
}

export function toSubscriptionResponse(row: SubscriptionRow, buyer: PlanBuyer): SubscriptionResponse {
  const isOfOrganization = row.organizationId !== null;
  const isOwnerThere = row.organizationId === buyer.organizationId && buyer.isOrganizationOwner;
  return {
    id: row.id,
    status: row.status,
    plan_code: row.plan.code,
    billing_period: row.billingPeriod,
    seats: row.seats,
    trial_end: dateOf(row.trialEnd),
    current_period_end: dateOf(row.currentPeriodEnd),
    canceled_at: dateOf(row.canceledAt),
    owner_type: isOfOrganization ? 'organization' : 'user',
    owner: isOfOrganization ? isOwnerThere : row.ownerUserId === buyer.userId,
  };
}

export function dateOf(timeMs: number | null): Date | null {
  return timeMs === null ? null : new Date(timeMs);
}
