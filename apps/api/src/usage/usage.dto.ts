import { CostSums, REQUESTS, WorkflowCosts } from '../cost-tracker/costs.dto.js';
import {
  BooleanField,
  ChoiceField,
  IntegerField,
  ListField,
  NestedField,
  NumberField,
  StringField,
} from '../http/fields.js';
import { StorageBreakdown } from '../profile/entitlements.dto.js';

const BIG = { max: Number.MAX_SAFE_INTEGER };
const NONE = 'Null: there was no price.';

export class UsageQuery {
  @IntegerField({ min: 1, max: 90, default: 30, description: 'Days up to today. Passed over where `month` is given.' })
  days: number;

  @StringField({
    optional: true,
    example: '2026-11',
    pattern: /^\d{4}-(0[1-9]|1[0-2])$/,
    patternMessage: 'A month is written as 2026-11.',
    description: 'A whole month (UTC), such as `2026-11`; not before the 24 that are kept.',
  })
  month?: string;

  @ChoiceField(['json', 'csv'], { default: 'json' })
  format: 'json' | 'csv';
}

export class CountedUse {
  @IntegerField({ ...BIG, nullable: true, description: 'By everybody of the pool. Null: not counted here.' })
  used: number | null;

  @IntegerField({ ...BIG, nullable: true, description: 'Null: unlimited. Beyond it nothing is blocked.' })
  limit: number | null;

  @IntegerField({ ...BIG, nullable: true, description: 'Of it, by oneself; on a pool of one’s own, the same.' })
  own: number | null;
}

export class UsageSums extends CostSums {
  @IntegerField(BIG)
  cached_tokens: number;

  @IntegerField(BIG)
  cache_write_tokens: number;

  @NumberField({ description: 'Of the spend, for reading from the caches of endpoints.' })
  cached_spend: number;

  @NumberField({ description: 'Of the spend, for writing to them.' })
  cache_write_spend: number;

  @IntegerField({ description: 'Without a price in `currency`: more than 0, and the spend is a floor.' })
  unpriced_requests: number;
}

export class DayUsage extends UsageSums {
  @StringField({ description: '`YYYY-MM-DD`, in UTC.' })
  date: string;
}

export class ModelUsageEntry {
  @StringField()
  model: string;

  @BooleanField({ description: 'With a key of your own, or of your organisation: these tokens are in no plan.' })
  own_key: boolean;

  @ChoiceField(['deployment', 'genai-prices'], { nullable: true, description: 'Who says the price; null: nobody.' })
  price_source: string | null;

  @StringField({ nullable: true, description: 'A model stands there once for each price that it had.' })
  price_version: string | null;

  @StringField({ nullable: true, description: 'Of the money of this entry.' })
  currency: string | null;

  @NumberField({ nullable: true, description: NONE })
  spend: number | null;

  @NumberField({ nullable: true, description: NONE })
  cached_spend: number | null;

  @NumberField({ nullable: true, description: NONE })
  cache_write_spend: number | null;

  @IntegerField(BIG)
  prompt_tokens: number;

  @IntegerField(BIG)
  completion_tokens: number;

  @IntegerField(BIG)
  total_tokens: number;

  @IntegerField(BIG)
  cached_tokens: number;

  @IntegerField(BIG)
  cache_write_tokens: number;

  @IntegerField({ description: REQUESTS })
  requests: number;
}

export class PersonUsage {
  @IntegerField({ nullable: true, description: 'Null: all who left the organisation, or whose accounts are gone.' })
  user_id: number | null;

  @StringField({ allowBlank: true })
  username: string;

  @StringField({ allowBlank: true })
  display_name: string;

  @IntegerField({ ...BIG, description: 'Completed in `month` as a member.' })
  workflow_runs: number;

  @IntegerField({ ...BIG, nullable: true, description: 'Of `month`, as a member. Null: not counted here.' })
  tokens: number | null;

  @NumberField({ description: 'Of the period, as a member.' })
  spend: number;

  @IntegerField({ description: `Of the period, as a member. ${REQUESTS}` })
  requests: number;

  @IntegerField({ description: 'More than 0: the spend is a floor.' })
  unpriced_requests: number;
}

export class PoolUsageResponse {
  @ChoiceField(['organization', 'user', 'none'], { description: 'Whom the quotas belong to.' })
  owner_type: string;

  @ChoiceField(['organization', 'own'], {
    description:
      'Whose use `totals`, `daily` and `by_model` tell of: all members’ to owners of the pool, else one’s own.',
  })
  scope: string;

  @StringField({ description: 'Of the counted runs and tokens, in UTC: `2026-11`.' })
  month: string;

  @StringField({ description: '`YYYY-MM-DD`, in UTC; the day counts.' })
  start_date: string;

  @StringField({ description: '`YYYY-MM-DD`, in UTC; the day counts.' })
  end_date: string;

  @StringField({ description: 'Of all money but that of `by_model`, where each entry says its own.' })
  currency: string;

  @ChoiceField(['on', 'off'], { description: 'Off: tokens and money are not written down here.' })
  cost_tracking: string;

  @NestedField(() => CountedUse)
  workflow_runs: CountedUse;

  @NestedField(() => CountedUse)
  tokens: CountedUse;

  @NestedField(() => StorageBreakdown)
  storage_breakdown: StorageBreakdown;

  @NestedField(() => UsageSums)
  totals: UsageSums;

  @ListField(() => DayUsage)
  daily: DayUsage[];

  @ListField(() => ModelUsageEntry, { maxItems: 10_000 })
  by_model: ModelUsageEntry[];

  @ListField(() => WorkflowCosts, { maxItems: 100_000, description: 'One’s own, and those that used models for one.' })
  by_workflow: WorkflowCosts[];

  @ListField(() => PersonUsage, {
    nullable: true,
    maxItems: 100_000,
    description: 'For owners of the pool of an organisation; null for others.',
  })
  by_person: PersonUsage[] | null;

  @IntegerField({ description: 'Of `totals`.' })
  unpriced_requests: number;
}
