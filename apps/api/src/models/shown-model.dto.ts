import { MODEL_PROTOCOLS, type ModelDefinition, type ModelProtocol } from '@app/config';
import type { ListedModel, ModelProbe, RegisteredRecord } from '@app/models';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  ObjectField,
  StringField,
} from '../http/fields.js';

export class RegisteredModelTest {
  @ChoiceField(['untested', 'ok', 'failed'], { description: 'A change makes what a test found out void.' })
  status: RegisteredRecord['testStatus'];

  @StringField({ nullable: true, description: 'As clients see it who ask the model.' })
  code: string | null;

  @StringField({ nullable: true, description: 'In words, without key, prompt and answer.' })
  reason: string | null;

  @DateTimeField({ nullable: true })
  checked_at: Date | null;
}

export class RegisteredModelResponse {
  @IntegerField({ description: 'From 100,000 on for what was registered.' })
  id: number;

  @StringField()
  name: string;

  @StringField()
  value: string;

  @StringField({ nullable: true })
  provider: string | null;

  @ChoiceField(MODEL_PROTOCOLS, { nullable: true, description: 'Null: as `provider` or the address says.' })
  protocol: ModelProtocol | null;

  @StringField({ nullable: true, description: 'Null: that of the vendor.' })
  base_url: string | null;

  @StringField({ nullable: true })
  access_key_id: string | null;

  @BooleanField({ description: 'The key itself is never given back.' })
  has_key: boolean;

  @ListField(kinds.string(), { description: 'Of the further headers; their values are never given back.' })
  header_names: string[];

  @ObjectField()
  extra_body: Record<string, unknown>;

  @ChoiceField(['chat', 'vision', 'image_gen', 'embed'])
  capability: string;

  @StringField({ nullable: true })
  description: string | null;

  @ListField(kinds.string())
  details: string[];

  @BooleanField({ nullable: true, description: 'Null: as the address says.' })
  on_premises: boolean | null;

  @IntegerField({ nullable: true })
  context_window: number | null;

  @IntegerField({ nullable: true })
  max_output_tokens: number | null;

  @ObjectField()
  supports: Record<string, unknown>;

  @ObjectField({ nullable: true })
  price: Record<string, unknown> | null;

  @IntegerField({ nullable: true })
  max_concurrency: number | null;

  @IntegerField({ nullable: true })
  requests_per_minute: number | null;

  @ObjectField()
  timeout: Record<string, unknown>;

  @IntegerField()
  max_retries: number;

  @IntegerField({ nullable: true })
  fallback: number | null;

  @BooleanField()
  enabled: boolean;

  @BooleanField()
  default: boolean;

  @IntegerField()
  position: number;

  @ChoiceField(['settings', 'platform', 'organization', 'own'], {
    description: '`settings`: it cannot be changed here.',
  })
  source: ListedModel['source'];

  @NestedField(() => RegisteredModelTest)
  test: RegisteredModelTest;

  @DateTimeField({ nullable: true, description: 'Null for those of the settings.' })
  created_at: Date | null;

  @DateTimeField({ nullable: true })
  updated_at: Date | null;
}

export function toRegisteredResponse(record: RegisteredRecord): RegisteredModelResponse {
  const { definition, userId, organizationId } = record;
  return {
    id: record.id,
    name: record.name,
    value: record.value,
    provider: definition.provider ?? null,
    protocol: definition.protocol ?? null,
    base_url: definition.base_url ?? null,
    access_key_id: definition.access_key_id ?? null,
    has_key: record.hasKey,
    header_names: record.headerNames,
    extra_body: definition.extra_body,
    capability: definition.capability,
    description: definition.description,
    details: definition.details,
    on_premises: definition.on_premises ?? null,
    context_window: definition.context_window ?? null,
    max_output_tokens: definition.max_output_tokens ?? null,
    supports: definition.supports,
    price: definition.price ?? null,
    max_concurrency: definition.max_concurrency ?? null,
    requests_per_minute: definition.requests_per_minute ?? null,
    timeout: definition.timeout,
    max_retries: definition.max_retries,
    fallback: definition.fallback ?? null,
    enabled: record.enabled,
    default: record.isDefault,
    position: record.position,
    source: userId !== null ? 'own' : organizationId !== null ? 'organization' : 'platform',
    test: {
      status: record.testStatus,
      code: record.testCode,
      reason: record.testReason,
      checked_at: record.testedAt,
    },
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}

/** One of the settings, as it comes to be. */
export function toConfiguredResponse(
  model: ModelDefinition,
  { isDefault, currency, probe }: { isDefault: boolean; currency: string; probe: ModelProbe | null },
): RegisteredModelResponse {
  const { supports, price, timeouts } = model;
  const { structuredOutput, ...others } = supports;
  return {
    id: model.id,
    name: model.name,
    value: model.value,
    provider: model.provider,
    protocol: model.protocol,
    base_url: model.baseUrl,
    access_key_id: model.accessKeyId,
    has_key: model.apiKey !== null,
    header_names: Object.keys(model.headers),
    extra_body: { ...model.extraBody },
    capability: model.capability,
    description: model.description,
    details: [...model.details],
    on_premises: model.onPremises,
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    supports: { ...others, structured_output: structuredOutput, temperature: model.takesTemperature },
    price: price && {
      input: price.input,
      output: price.output,
      cached_input: price.cachedInput,
      cache_write: price.cacheWrite,
      ...(price.picture !== null && { picture: price.picture }),
      currency,
    },
    max_concurrency: model.maxConcurrency,
    requests_per_minute: model.requestsPerMinute,
    timeout: {
      first_token_seconds: timeouts.firstTokenSeconds,
      silence_seconds: timeouts.silenceSeconds,
      total_seconds: timeouts.totalSeconds,
    },
    max_retries: model.maxRetries,
    fallback: model.fallback,
    enabled: true,
    default: isDefault,
    position: 0,
    source: 'settings',
    test: {
      status: probe === null || probe.status === 'unknown' ? 'untested' : probe.status,
      code: probe?.code ?? null,
      reason: probe?.reason ?? null,
      checked_at: probe?.checkedAt ?? null,
    },
    created_at: null,
    updated_at: null,
  };
}
