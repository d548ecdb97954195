import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  NestedField,
  ObjectField,
  StringField,
  kinds,
} from '../http/fields.js';

const BYTES = { max: Number.MAX_SAFE_INTEGER };

export class StorageBreakdown {
  @IntegerField({ ...BYTES, description: 'Documents and table files.' })
  media: number;

  @IntegerField({ ...BYTES, description: 'Vectors of documents; not part of the quota.' })
  vector: number;

  @IntegerField({ ...BYTES, description: 'Files that workflows wrote.' })
  workflow: number;

  @IntegerField(BYTES)
  total: number;

  @IntegerField({ ...BYTES, nullable: true })
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

  @ObjectField({ values: kinds.boolean(), description: 'Capability flags, each of them.', example: { chat_ai: true } })
  features: Record<string, boolean>;

  @IntegerField({ nullable: true, description: 'Null: unlimited.' })
  monthly_workflow_runs: number | null;

  @IntegerField({ nullable: true, max: Number.MAX_SAFE_INTEGER })
  included_tokens: number | null;

  @IntegerField({ ...BYTES, nullable: true })
  storage_bytes: number | null;

  @IntegerField({ nullable: true })
  run_history_days: number | null;

  @IntegerField({ nullable: true })
  live_build_sessions: number | null;

  @IntegerField({ description: 'Successful runs of this calendar month (UTC); nothing that is deleted is taken off.' })
  workflow_runs_used: number;

  @IntegerField({ ...BYTES, description: 'What counts against storage_bytes, uploads under way included.' })
  storage_used_bytes: number;

  @NestedField(() => StorageBreakdown)
  storage_breakdown: StorageBreakdown;

  @BooleanField({ description: 'Whether the feature gate is on.' })
  enforced: boolean;

  @BooleanField({ description: 'Whether uploads beyond storage_bytes are refused.' })
  storage_enforced: boolean;
}
