import { FEATURES, type Plan, pricesOf, SUPPORT_TIERS, TIERS } from '@app/entitlements';
import {
  BooleanField,
  ChoiceField,
  IntegerField,
  ListField,
  NestedField,
  ObjectField,
  StringField,
  kinds,
} from '../http/fields.js';
import { SubscriptionResponse } from './subscription.dto.js';

const LARGE = { max: Number.MAX_SAFE_INTEGER };

export class PlanSeats {
  @IntegerField()
  min: number;

  @IntegerField({ nullable: true, description: 'Null: any number.' })
  max: number | null;

  @BooleanField({ description: 'Whether people choose how many.' })
  adjustable: boolean;
}

export class PlanLimitsResponse {
  @IntegerField({ ...LARGE, nullable: true, description: 'Null: unlimited. 0: none.' })
  monthly_workflow_runs: number | null;

  @IntegerField({ ...LARGE, nullable: true })
  included_tokens: number | null;

  @IntegerField({ ...LARGE, nullable: true })
  storage_bytes: number | null;

  @IntegerField({ nullable: true })
  run_history_days: number | null;

  @IntegerField({ ...LARGE, nullable: true })
  live_build_sessions: number | null;
}

export class PlanResponse {
  @StringField()
  code: string;

  @StringField()
  name: string;

  @ChoiceField(TIERS)
  tier: string;

  @StringField({ allowBlank: true })
  description: string;

  @StringField({ description: 'ISO 4217.' })
  currency: string;

  @StringField({ description: 'Of one seat, such as "29.00".' })
  monthly_price: string;

  @StringField({ description: 'Of one seat, for the whole year.' })
  yearly_price: string;

  @IntegerField()
  trial_days: number;

  @NestedField(() => PlanSeats)
  seats: PlanSeats;

  @ChoiceField(SUPPORT_TIERS)
  support_tier: string;

  @BooleanField({ description: 'Sold by people: there is no pay page for it.' })
  contact_sales: boolean;

  @ObjectField({ values: kinds.boolean(), description: 'Capability flags.', example: { chat_ai: true } })
  features: Record<string, boolean>;

  @NestedField(() => PlanLimitsResponse)
  limits: PlanLimitsResponse;

  @BooleanField({ description: 'Whether the caller lives on it.' })
  is_current: boolean;
}

export class PlansResponse {
  @ListField(() => PlanResponse, { description: 'What is sold, in the order in which to show it.' })
  plans: PlanResponse[];

  @NestedField(() => SubscriptionResponse, { nullable: true })
  current: SubscriptionResponse | null;

  @IntegerField({ description: 'What a year saves, unless a plan has a price of its own for it.' })
  yearly_discount_percent: number;
}

/** A plan as it is sold, or as it was sold to somebody. */
export function toPlanResponse(plan: Plan, currentCode: string | null): PlanResponse {
  const { monthly, yearly } = pricesOf(plan);
  const { limits } = plan;
  return {
    code: plan.code,
    name: plan.name,
    tier: plan.tier,
    description: plan.description,
    currency: plan.currency,
    monthly_price: monthly,
    yearly_price: yearly,
    trial_days: plan.trialDays,
    seats: { ...plan.seats },
    support_tier: plan.supportTier,
    contact_sales: plan.contactSales,
    // A plan that was sold before a capability existed has it not.
    features: Object.fromEntries(FEATURES.map((name) => [name, plan.features[name] ?? false])),
    limits: {
      monthly_workflow_runs: limits.monthlyWorkflowRuns,
      included_tokens: limits.includedTokens,
      storage_bytes: limits.storageBytes,
      run_history_days: limits.runHistoryDays,
      live_build_sessions: limits.liveBuildSessions,
    },
    is_current: plan.code === currentCode,
  };
}
