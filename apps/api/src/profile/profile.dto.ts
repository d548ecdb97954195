import type { ModelProbe } from '@app/models';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  EmailField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  StringField,
} from '../http/fields.js';
import { Entitlements } from './entitlements.dto.js';
import type { ModelEntry } from './model-catalog.js';
import type { ProfileRow } from './profiles.js';

export class AuthMethods {
  @BooleanField()
  password: boolean;

  @BooleanField()
  passkey: boolean;

  @BooleanField()
  sso_org: boolean;

  @BooleanField()
  sso_platform: boolean;
}

export class ActivePlan {
  @StringField()
  name: string;

  @StringField()
  code: string;

  @StringField()
  monthly_price: string;

  @StringField()
  yearly_price: string;

  @DateTimeField({ nullable: true })
  active_until: Date | null;

  @BooleanField({ optional: true, description: 'On organisation plans: whether this user owns the subscription.' })
  owner?: boolean;
}

export class UserResponse {
  @IntegerField()
  id: number;

  @StringField()
  first_name: string;

  @StringField()
  last_name: string;

  @StringField()
  username: string;

  @EmailField()
  email: string;

  @IntegerField({ nullable: true, description: 'Digits, without the plus sign.', max: Number.MAX_SAFE_INTEGER })
  phone: number | null;

  @StringField({ description: 'Name of the default model; empty when unset.' })
  llm_model: string;

  @ChoiceField(['en', 'ar'])
  language: string;

  @StringField({ description: 'Name of the organisation; empty when none.' })
  organization: string;

  @DateTimeField({ nullable: true })
  last_login: Date | null;

  @BooleanField({ description: 'Whether the account is approved.' })
  verified: boolean;

  @BooleanField()
  email_verified: boolean;

  @BooleanField()
  use_cloud: boolean;

  @BooleanField()
  number_verified: boolean;

  @BooleanField({ description: 'Until POST /users/me/.' })
  is_first_time: boolean;

  @ListField(kinds.string())
  roles: string[];

  @BooleanField()
  is_staff: boolean;

  @BooleanField()
  dedicated_agent: boolean;

  @ChoiceField(['provisioning', 'running', 'paused', 'stopped'], {
    nullable: true,
    description: 'How the dedicated agent stands; null for an account without one.',
  })
  dedicated_agent_status: 'provisioning' | 'running' | 'paused' | 'stopped' | null;

  @DateTimeField()
  date_joined: Date;

  @BooleanField({ description: 'Whether the account has no usable password.' })
  is_sso: boolean;

  @NestedField(() => AuthMethods)
  auth_methods: AuthMethods;

  @NestedField(() => ActivePlan, { nullable: true })
  plan: ActivePlan | null;

  @NestedField(() => Entitlements)
  entitlements: Entitlements;

  @BooleanField()
  plan_required: boolean;
}

export class MeResponse {
  @NestedField(() => UserResponse)
  info: UserResponse;
}

export function toUserResponse(row: ProfileRow, model: ModelEntry | null): UserResponse {
  const {
    has_password,
    has_passkey,
    has_sso_org,
    has_sso_platform,
    llm_model_id: _model,
    organization_id: _id,
    phone,
    ...user
  } = row;
  return {
    ...user,
    phone: phone === null ? null : Number(phone),
    llm_model: model?.name ?? '',
    is_sso: !has_password,
    auth_methods: {
      password: has_password,
      passkey: has_passkey,
      sso_org: has_sso_org,
      sso_platform: has_sso_platform,
    },
  };
}

export class FirstTimeResponse {
  @BooleanField({ description: 'The flag before this call.' })
  is_first_time: boolean;
}

export class ModelSupport {
  @BooleanField()
  tools: boolean;

  @BooleanField()
  structured_output: boolean;

  @BooleanField()
  images: boolean;

  @BooleanField({ description: 'PDFs, as files.' })
  documents: boolean;

  @BooleanField()
  reasoning: boolean;
}

export class ModelHealthResponse {
  @ChoiceField(['ok', 'failed', 'unknown'])
  status: ModelProbe['status'];

  @StringField({ nullable: true, description: 'As clients see it who ask the model.' })
  code: string | null;

  @StringField({ nullable: true, description: 'Without key, prompt and answer.' })
  reason: string | null;

  @DateTimeField({ nullable: true })
  checked_at: Date | null;
}

export class LanguageModelResponse {
  @IntegerField()
  id: number;

  @StringField()
  name: string;

  @StringField({ description: 'As the provider knows it.' })
  value: string;

  @StringField({ nullable: true })
  provider: string | null;

  @ChoiceField(['chat', 'vision', 'image_gen', 'embed'])
  capability: string;

  @StringField({ nullable: true })
  description: string | null;

  @ListField(kinds.string())
  details: string[];

  @BooleanField()
  on_premises: boolean;

  @DateTimeField()
  created_at: Date;

  @IntegerField({ nullable: true, description: 'Tokens of prompt and answer together, where known.' })
  context_window: number | null;

  @NestedField(() => ModelSupport)
  supports: ModelSupport;

  @BooleanField({ description: 'Whether it answers where nobody chose.' })
  is_default: boolean;

  @ChoiceField(['settings', 'platform', 'organization', 'own'], {
    description: 'Who declares it: the deployment, its staff, your organisation for its members, or you.',
  })
  source: ModelEntry['source'];

  @NestedField(() => ModelHealthResponse, { optional: true, description: 'For staff: how it answered when probed.' })
  health?: ModelHealthResponse;
}

export function toModelHealthResponse(probe: ModelProbe | null): ModelHealthResponse {
  const { status = 'unknown', code = null, reason = null, checkedAt = null } = probe ?? {};
  return { status, code, reason, checked_at: checkedAt };
}

export function toLanguageModelResponse(entry: ModelEntry): LanguageModelResponse {
  const { onPremises, createdAt, contextWindow, supports, isDefault, details, ...same } = entry;
  const { structuredOutput, documents = false, ...others } = supports;
  return {
    ...same,
    details: [...details],
    on_premises: onPremises,
    created_at: createdAt,
    context_window: contextWindow,
    supports: { ...others, documents, structured_output: structuredOutput },
    is_default: isDefault,
  };
}
