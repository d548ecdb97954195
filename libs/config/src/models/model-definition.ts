import { z } from 'zod';

export const MODEL_CAPABILITIES = ['chat', 'vision', 'image_gen', 'embed'] as const;
export type ModelCapability = (typeof MODEL_CAPABILITIES)[number];

/** `openai`: chat completions, which most endpoints speak; `azure`: OpenAI's responses under the address of a resource. */
export const MODEL_PROTOCOLS = ['openai', 'openai-responses', 'azure', 'anthropic', 'gemini', 'bedrock'] as const;
export type ModelProtocol = (typeof MODEL_PROTOCOLS)[number];

/** Per million tokens, in the currency of the deployment. */
export interface ModelPrice {
  input: number;
  output: number;
  /** Of what the endpoint read from its cache. */
  cachedInput: number;
  /** Of what it wrote there. */
  cacheWrite: number;
  /** Of one picture, in place of its tokens; null: tokens count. */
  picture: number | null;
}

export interface ModelTimeouts {
  /** Until the first piece of a streamed answer. */
  firstTokenSeconds: number;
  /** Between two pieces of a streamed answer. */
  silenceSeconds: number;
  /** For one try in all; of a streamed answer, until its first piece. */
  totalSeconds: number;
  /** For a streamed answer in all, while it flows. */
  answerSeconds: number;
}

/** One configured model of an endpoint. */
export interface ModelDefinition {
  id: number;
  name: string;
  /** As the endpoint knows it. */
  value: string;
  provider: string;
  capability: ModelCapability;
  description: string | null;
  details: readonly string[];
  /** Null: as the address says. */
  onPremises: boolean | null;
  protocol: ModelProtocol;
  baseUrl: string;
  apiKey: string | null;
  /** Of Bedrock, with `apiKey` as its secret; null: `apiKey` is a key of Bedrock. */
  accessKeyId: string | null;
  /** Further headers of each request; some may be secret. */
  headers: Readonly<Record<string, string>>;
  /** Further members of each body. */
  extraBody: Readonly<Record<string, unknown>>;
  /** Tokens of prompt and answer together; null where nobody said. */
  contextWindow: number | null;
  maxOutputTokens: number | null;
  supports: { tools: boolean; structuredOutput: boolean; images: boolean; reasoning: boolean; documents: boolean };
  /** Whether it takes a temperature; some that reason refuse requests with one. */
  takesTemperature: boolean;
  price: ModelPrice | null;
  /** Calls at a time, of one process. */
  maxConcurrency: number | null;
  /** Of one process. */
  requestsPerMinute: number | null;
  timeouts: ModelTimeouts;
  maxRetries: number;
  /** Who answers while this one cannot. */
  fallback: number | null;
  isDefault: boolean;
}

const address = z.string().refine((value) => {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash;
}, 'must be an http or https address without user and password');

const tokens = z.int().min(1).max(100_000_000);
const seconds = z.number().min(0.05).max(3600);
const price = z.number().min(0).max(1_000_000);
const id = z.int().min(1).max(2_147_483_647);

const variable = z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable');

/** Those of the connection are the client's own. */
const CONNECTION =
  /^(?:host|content-length|content-type|content-encoding|transfer-encoding|connection|accept-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of a header')
  .refine((name) => !CONNECTION.test(name), 'must not be a header of the connection');
const headerValue = z.string().regex(/^[\t\x20-\x7e]{1,4000}$/, 'must be printable ASCII');

/** Further headers of each request. */
export const modelHeaders = z.record(headerName, headerValue);

/** What the platform itself decides. */
const OWN_MEMBERS = new Set(['model', 'messages', 'input', 'contents', 'system', 'tools', 'stream', 'n']);
const MAX_EXTRA = 32_000;
const extraBody = z
  .record(z.string().min(1).max(100), z.json())
  .refine((body) => Object.keys(body).every((name) => !OWN_MEMBERS.has(name)), {
    error: `must not hold ${[...OWN_MEMBERS].join(', ')}`,
  })
  .refine((body) => JSON.stringify(body).length <= MAX_EXTRA, `must not be longer than ${MAX_EXTRA} characters`);

/** A member of LLM_MODELS, as it is written. */
export const writtenModel = z.strictObject({
  id,
  name: z.string().trim().min(1).max(200),
  value: z.string().trim().min(1).max(200),
  provider: z.string().trim().min(1).max(100).optional(),
  base_url: address.optional(),
  api_key: z.string().min(1).optional(),
  api_key_env: variable.optional(),
  protocol: z.enum(MODEL_PROTOCOLS).optional(),
  access_key_id: z
    .string()
    .regex(/^[A-Z0-9]{16,128}$/, 'must be an access key id')
    .optional(),
  headers: modelHeaders.default({}),
  headers_env: z.record(headerName, variable).default({}),
  extra_body: extraBody.default({}),
  capability: z.enum(MODEL_CAPABILITIES).default('chat'),
  description: z.string().max(2000).nullable().default(null),
  details: z.array(z.string().max(500)).max(50).default([]),
  on_premises: z.boolean().optional(),
  context_window: tokens.optional(),
  max_output_tokens: tokens.optional(),
  supports: z
    .strictObject({
      tools: z.boolean().optional(),
      structured_output: z.boolean().optional(),
      images: z.boolean().optional(),
      reasoning: z.boolean().optional(),
      temperature: z.boolean().optional(),
      documents: z.boolean().optional(),
    })
    .default({}),
  price: z
    .strictObject({
      input: price,
      output: price,
      cached_input: price.optional(),
      cache_write: price.optional(),
      picture: price.optional(),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must be three capital letters')
        .default('USD'),
    })
    .optional(),
  max_concurrency: z.int().min(1).max(10_000).optional(),
  requests_per_minute: z.int().min(1).max(1_000_000).optional(),
  timeout: z
    .strictObject({
      first_token_seconds: seconds.optional(),
      silence_seconds: seconds.optional(),
      total_seconds: seconds.optional(),
    })
    .default({}),
  max_retries: z.int().min(0).max(10).default(2),
  fallback: id.optional(),
  default: z.boolean().default(false),
});

export type WrittenModel = z.infer<typeof writtenModel>;
