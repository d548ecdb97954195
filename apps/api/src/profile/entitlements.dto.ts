import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  NestedField,
  ObjectField,
  StringField,
} from '../http/fields.js';

export class StorageBreakdown {
  @IntegerField()
  media: number;

  @IntegerField()
  vector: number;

  @IntegerField()
  workflow: number;

  @IntegerField()
  total: number;

  @IntegerField({ nullable: true })
  limit: number | null;

  @DateTimeField({ nullable: true })
  measured_at: Date | null;
}

export class Entitlements {
  @StringField({ allowBlank: true, description: 'Empty on the free tier.' })
  plan_code: string;

  @StringField()
  plan_name: string;

  @ChoiceField(['organization', 'user', 'none'], { description: 'Whom the quotas belong to.' })
  owner_type: string;

  @BooleanField()
  is_active: boolean;

  @IntegerField()
  seats: number;

  @StringField()
  support_tier: string;

  @ObjectField({ description: 'Capability flags.', example: { chat_ai: true } })
  features: Record<string, boolean>;

  @IntegerField({ nullable: true, description: 'Null: unlimited.' })
  monthly_workflow_runs: number | null;

  @IntegerField({ nullable: true })
  included_tokens: number | null;

  @IntegerField({ nullable: true })
  storage_bytes: number | null;

  @IntegerField({ nullable: true })
  run_history_days: number | null;

  @IntegerField({ nullable: true })
  live_build_sessions: number | null;

  @IntegerField()
  workflow_runs_used: number;

  @IntegerField()
  storage_used_bytes: number;

  @NestedField(() => StorageBreakdown)
  storage_breakdown: StorageBreakdown;

  @BooleanField({ description: 'Whether the feature gate is on.' })
  enforced: boolean;

  @BooleanField({ description: 'Whether uploads beyond storage_bytes are refused.' })
  storage_enforced: boolean;
}

/** The built-in free tier, which every account without a subscription has. Nothing is metered or gated yet. */
export const FREE_TIER: Entitlements = Object.freeze({
  plan_code: '',
  plan_name: 'Free',
  owner_type: 'none',
  is_active: true,
  seats: 1,
  support_tier: 'community',
  features: Object.freeze({
    flowapps: true,
    dashboards: true,
    chat_ai: true,
    aes256: true,
    byo_llm: true,
    rbac: true,
    global_secrets: true,
    sso_scim: true,
    audit_logs: true,
    on_prem: true,
    data_integration: true,
  }),
  monthly_workflow_runs: null,
  included_tokens: null,
  storage_bytes: null,
  run_history_days: null,
  live_build_sessions: null,
  workflow_runs_used: 0,
  storage_used_bytes: 0,
  storage_breakdown: Object.freeze({ media: 0, vector: 0, workflow: 0, total: 0, limit: null, measured_at: null }),
  enforced: false,
  storage_enforced: false,
});
