import { ONE_LINE } from '@app/common';
import { MODEL_PROTOCOLS, type ModelProtocol } from '@app/config';
import type { Discovery, ModelDraft, ModelTest } from '@app/models';
import { BooleanField, ChoiceField, IntegerField, kinds, ListField, ObjectField, StringField } from '../http/fields.js';

const MAX_INTEGER = 2_147_483_647;
const AS_IN_SETTINGS = 'As in LLM_MODELS; null: as unless told.';
const optional = { optional: true, nullable: true, description: AS_IN_SETTINGS } as const;
const KEY =
  'Kept sealed and never given back. Absent: stays; empty or null: none. Another address or protocol erases it unless a new one comes along.';

/** Members that stand in `ModelDraft.written`. */
const WRITTEN = [
  'name',
  'value',
  'provider',
  'protocol',
  'base_url',
  'access_key_id',
  'extra_body',
  'capability',
  'description',
  'details',
  'on_premises',
  'context_window',
  'max_output_tokens',
  'supports',
  'price',
  'max_concurrency',
  'requests_per_minute',
  'timeout',
  'max_retries',
  'fallback',
] as const;

export class UpdateModelRequest {
  @StringField({ optional: true, maxLength: 200, ...ONE_LINE, description: 'As people read it.' })
  name?: string;

  @StringField({ optional: true, maxLength: 200, description: 'As the endpoint knows it.' })
  value?: string;

  @StringField({ ...optional, maxLength: 100, description: 'Who runs it, as people read it; the host unless told.' })
  provider?: string | null;

  @ChoiceField(MODEL_PROTOCOLS, { ...optional, description: 'How it is spoken to; `openai` is chat completions.' })
  protocol?: ModelProtocol | null;

  @StringField({ ...optional, maxLength: 2000, description: 'Ends in /v1; that of the vendor unless told.' })
  base_url?: string | null;

  @StringField({ optional: true, nullable: true, allowBlank: true, trim: false, maxLength: 8000, description: KEY })
  api_key?: string | null;

  @StringField({ ...optional, maxLength: 128, description: 'Of Bedrock, with the key as its secret.' })
  access_key_id?: string | null;

  @ObjectField({ optional: true, nullable: true, description: `Further headers of each request. ${KEY}` })
  headers?: Record<string, unknown> | null;

  @ObjectField({ ...optional, description: 'Further members of each body. No place for secrets: it is given back.' })
  extra_body?: Record<string, unknown> | null;

  @ChoiceField(['chat', 'vision'], optional)
  capability?: string | null;

  @StringField({ ...optional, maxLength: 2000, allowBlank: true })
  description?: string | null;

  @ListField(kinds.string({ maxLength: 500 }), { ...optional, maxItems: 50 })
  details?: string[] | null;

  @BooleanField({
    ...optional,
    description: 'Whether what it reads stays in the house; as the address says unless told.',
  })
  on_premises?: boolean | null;

  @IntegerField({ ...optional, min: 1, max: 100_000_000, description: 'Tokens of prompt and answer together.' })
  context_window?: number | null;

  @IntegerField({ ...optional, min: 1, max: 100_000_000 })
  max_output_tokens?: number | null;

  @ObjectField({
    ...optional,
    description: '`tools`, `structured_output`, `images`, `reasoning`, `temperature`, `documents`: true or false.',
  })
  supports?: Record<string, unknown> | null;

  @ObjectField({
    ...optional,
    description:
      'Per million tokens, in the currency of the deployment: `input`, `output`, and where they differ `cached_input`, `cache_write`.',
  })
  price?: Record<string, unknown> | null;

  @IntegerField({ ...optional, min: 1, max: 10_000, description: 'Calls at a time, of one process.' })
  max_concurrency?: number | null;

  @IntegerField({ ...optional, min: 1, max: 1_000_000, description: 'Of one process.' })
  requests_per_minute?: number | null;

  @ObjectField({ ...optional, description: '`first_token_seconds`, `silence_seconds`, `total_seconds`.' })
  timeout?: Record<string, unknown> | null;

  @IntegerField({ ...optional, min: 0, max: 10 })
  max_retries?: number | null;

  @IntegerField({ ...optional, min: 1, max: MAX_INTEGER, description: 'Of staff alone: who answers while it cannot.' })
  fallback?: number | null;

  @BooleanField({ optional: true, description: 'One that is not enabled is as if it were not there.' })
  enabled?: boolean;

  @BooleanField({ optional: true, description: 'Of staff alone: whether it answers where nobody chose. One at most.' })
  default?: boolean;

  @IntegerField({ optional: true, min: 0, max: MAX_INTEGER, description: 'Lower ones are listed first.' })
  position?: number;
}

export class CreateModelRequest extends UpdateModelRequest {
  @StringField({ maxLength: 200, ...ONE_LINE, description: 'As people read it.' })
  declare name: string;

  @StringField({ maxLength: 200, description: 'As the endpoint knows it.' })
  declare value: string;
}

export class ModelTestResponse {
  @BooleanField()
  ok: boolean;

  @StringField({ nullable: true, description: 'As clients see it who ask the model.' })
  code: string | null;

  @StringField({ nullable: true, description: 'In words, without key, prompt and answer.' })
  reason: string | null;

  @IntegerField()
  latency_ms: number;
}

export class DiscoverModelsRequest {
  @ChoiceField(MODEL_PROTOCOLS, { optional: true, description: '`openai` unless told; bedrock lists nothing.' })
  protocol?: ModelProtocol;

  @StringField({ optional: true, maxLength: 2000, description: 'That of the vendor unless told.' })
  base_url?: string;

  @StringField({ optional: true, nullable: true, allowBlank: true, trim: false, maxLength: 8000 })
  api_key?: string | null;

  @ObjectField({ optional: true, description: 'Further headers of the request.' })
  headers?: Record<string, unknown>;

  @IntegerField({ optional: true, description: 'Of a model that is registered: what is absent is taken from it.' })
  id?: number;
}

export class OfferedModelResponse {
  @StringField()
  value: string;

  @StringField()
  name: string;
}

export class DiscoverModelsResponse extends ModelTestResponse {
  @ListField(() => OfferedModelResponse)
  models: OfferedModelResponse[];
}

export function toDraft(body: UpdateModelRequest): ModelDraft {
  const written = Object.fromEntries(WRITTEN.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
  return {
    written,
    apiKey: body.api_key,
    headers: body.headers === null ? {} : body.headers,
    enabled: body.enabled,
    isDefault: body.default,
    position: body.position,
  };
}

export function toDiscovery({
  base_url: baseUrl,
  api_key: apiKey,
  protocol,
  headers,
  id,
}: DiscoverModelsRequest): Discovery {
  return { protocol, baseUrl, apiKey, headers, id };
}

export function toTestResponse({ ok, code, reason, latencyMs }: ModelTest): ModelTestResponse {
  return { ok, code, reason, latency_ms: latencyMs };
}
