import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  type ModelDefinition,
  type ModelProtocol,
  type ModelTimeouts,
  type WrittenModel,
  writtenModel,
} from './model-definition.js';
import { addressOf, endpointOf } from './protocol-of.js';
import { readSecret } from '../secret-files.js';
import { isAnswering, mistakesBetweenModels, mistakesOfPremises } from './model-references.js';

/** The settings of the concern `languageModel`. */
export interface LanguageModelSettings {
  readonly provider: 'quoting' | ModelProtocol;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly model?: string | undefined;
  readonly models?: string | undefined;
  readonly modelsFile?: string | undefined;
  readonly timeoutSeconds: number;
  readonly firstTokenSeconds: number;
  readonly silenceSeconds: number;
  readonly answerSeconds: number;
}

/** How long models have for an answer, where nobody says otherwise of one. */
export type ModelPatience = Pick<
  LanguageModelSettings,
  'timeoutSeconds' | 'firstTokenSeconds' | 'silenceSeconds' | 'answerSeconds'
>;

export interface ConfiguredModels {
  /** Empty where only the embedded quoting model answers. */
  readonly list: readonly ModelDefinition[];
  /** Who answers where nobody chose; 1 where only the embedded quoting model answers. */
  readonly defaultId: number;
  /** Of all prices. */
  readonly currency: string;
}

const DEFAULT_CURRENCY = 'USD';

/** The models that LLM_MODELS, LLM_MODELS_FILE or the single LLM_MODEL name. Adds a sentence for every mistake. */
export function readModels(
  settings: LanguageModelSettings,
  env: NodeJS.ProcessEnv,
  mistakes: string[],
): ConfiguredModels {
  const { models, modelsFile, model } = settings;
  if (models === undefined && modelsFile === undefined)
    return { list: singleModel(settings), defaultId: 1, currency: DEFAULT_CURRENCY };
  const name = models === undefined ? 'LLM_MODELS_FILE' : 'LLM_MODELS';
  const found: string[] = [];
  if (models !== undefined && modelsFile !== undefined)
    found.push('LLM_MODELS and LLM_MODELS_FILE say the same thing: set one of them.');
  if (model !== undefined) found.push(`LLM_MODEL names the only model, ${name} a list of them: set one of them.`);
  const written = parseList(name, models ?? readFile(modelsFile!, found), found);
  found.push(...mistakesBetweenModels(written).map((mistake) => `${name}: ${mistake}.`));
  const list = written.map((one) => toDefinition(one, settings, env, (mistake) => found.push(`${name}: ${mistake}.`)));
  found.push(...mistakesOfPremises(list).map((mistake) => `${name}: ${mistake}.`));
  mistakes.push(...found);
  const defaultId = list.find(({ isDefault }) => isDefault)?.id ?? list.find(isAnswering)?.id ?? 1;
  return { list, defaultId, currency: written.find(({ price }) => price)?.price?.currency ?? DEFAULT_CURRENCY };
}

function readFile(path: string, mistakes: string[]): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    mistakes.push(`LLM_MODELS_FILE cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}): ${path}.`);
    return null;
  }
}

/** Only the members that are right in themselves. */
function parseList(name: string, text: string | null, mistakes: string[]): WrittenModel[] {
  if (text === null) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the text, which may hold keys.
    const position = /position (\d+)/.exec(String(error))?.[1];
    mistakes.push(`${name} is not JSON${position === undefined ? '' : ` (at character ${position})`}.`);
    return [];
  }
  if (!Array.isArray(value) || value.length === 0 || value.length > 200) {
    mistakes.push(`${name} must be a list of 1 to 200 models.`);
    return [];
  }
  return value.flatMap((one: unknown, index) => {
    const parsed = writtenModel.safeParse(one);
    if (parsed.success) return [parsed.data];
    mistakes.push(...parsed.error.issues.map((issue) => `${name}[${index}]${pathOf(issue)} ${problemOf(issue)}.`));
    return [];
  });
}

function pathOf({ path }: z.core.$ZodIssue): string {
  return path.length === 0 ? '' : `.${path.map(String).join('.')}`;
}

function problemOf(issue: z.core.$ZodIssue): string {
  const sentence = issue.message.replace(/[.]+$/, '');
  return sentence.startsWith('must') ? sentence : `is wrong: ${sentence}`;
}

/** What is written of a model beside the settings, by whoever registers one while the platform runs. */
export function defineModel(
  written: WrittenModel,
  { timeoutSeconds, firstTokenSeconds, silenceSeconds, answerSeconds }: ModelPatience,
  complain: (mistake: string) => void,
): ModelDefinition {
  // Neither the common address nor the common key is theirs.
  const settings = { provider: 'openai', timeoutSeconds, firstTokenSeconds, silenceSeconds, answerSeconds } as const;
  return toDefinition(written, settings, {}, complain);
}

function toDefinition(
  written: WrittenModel,
  settings: LanguageModelSettings,
  env: NodeJS.ProcessEnv,
  complain: (mistake: string) => void,
): ModelDefinition {
  const { id, name, value, capability, description, details, supports, price, timeout } = written;
  const { protocol, baseUrl } = endpointOf(written, settings.baseUrl);
  if (baseUrl === '') complain(`model ${id} needs base_url${protocol === 'openai' ? ', or LLM_BASE_URL for all' : ''}`);
  if (protocol === 'bedrock' && Object.keys(written.extra_body).length > 0)
    complain(`model ${id} cannot have extra_body: requests of Bedrock are signed as they are`);
  if (protocol !== 'openai' && !isAnswering({ capability }))
    complain(`model ${id} cannot have the protocol ${protocol}: models of ${capability} speak openai alone`);
  if (protocol !== 'bedrock' && written.access_key_id !== undefined)
    complain(`model ${id} has access_key_id, which is for the protocol bedrock alone`);
  return {
    id,
    name,
    value,
    provider: written.provider ?? URL.parse(baseUrl)?.hostname ?? '',
    capability,
    description,
    details,
    onPremises: written.on_premises ?? null,
    protocol,
    baseUrl,
    apiKey: keyOf(written, protocol, settings, env, complain),
    accessKeyId: written.access_key_id ?? null,
    headers: { ...written.headers, ...secretHeadersOf(written, env, complain) },
    extraBody: written.extra_body,
    contextWindow: written.context_window ?? null,
    maxOutputTokens: written.max_output_tokens ?? null,
    supports: {
      tools: supports.tools ?? true,
      structuredOutput: supports.structured_output ?? true,
      images: supports.images ?? capability === 'vision',
      reasoning: supports.reasoning ?? false,
      documents: supports.documents ?? (protocol !== 'openai' && (supports.images ?? capability === 'vision')),
    },
    takesTemperature: supports.temperature ?? true,
    price: price
      ? {
          input: price.input,
          output: price.output,
          cachedInput: price.cached_input ?? price.input,
          cacheWrite: price.cache_write ?? price.input,
          picture: price.picture ?? null,
        }
      : null,
    maxConcurrency: written.max_concurrency ?? null,
    requestsPerMinute: written.requests_per_minute ?? null,
    timeouts: timeoutsOf(settings, timeout),
    maxRetries: written.max_retries,
    fallback: written.fallback ?? null,
    isDefault: written.default,
  };
}

function secretHeadersOf(
  { id, headers_env }: WrittenModel,
  env: NodeJS.ProcessEnv,
  complain: (mistake: string) => void,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers_env).flatMap(([name, variable]) => {
      const value = readSecret(variable, env, (mistake) => complain(`model ${id}: ${mistake}`));
      if (value !== undefined && /^[\t\x20-\x7e]+$/.test(value)) return [[name, value]];
      complain(`model ${id} names the variable ${variable} for a header, which is not set or not printable ASCII`);
      return [];
    }),
  );
}

function keyOf(
  { id, base_url, api_key, api_key_env }: WrittenModel,
  protocol: ModelProtocol,
  { apiKey }: LanguageModelSettings,
  env: NodeJS.ProcessEnv,
  complain: (mistake: string) => void,
): string | null {
  if (api_key !== undefined && api_key_env !== undefined)
    complain(`model ${id} has api_key and api_key_env: set one of them`);
  if (api_key !== undefined) return api_key;
  // The key of LLM_BASE_URL is for nobody else.
  if (api_key_env === undefined) return base_url === undefined && protocol === 'openai' ? (apiKey ?? null) : null;
  let refused = false;
  const key = readSecret(api_key_env, env, (mistake) => {
    refused = true;
    complain(`model ${id}: ${mistake}`);
  });
  if (!key && !refused) complain(`model ${id} names the variable ${api_key_env}, which is not set`);
  return key ?? null;
}

function timeoutsOf(settings: LanguageModelSettings, written: WrittenModel['timeout'] = {}): ModelTimeouts {
  const totalSeconds = written.total_seconds ?? settings.timeoutSeconds;
  return {
    firstTokenSeconds: Math.min(written.first_token_seconds ?? settings.firstTokenSeconds, totalSeconds),
    silenceSeconds: Math.min(written.silence_seconds ?? settings.silenceSeconds, totalSeconds),
    totalSeconds,
    // Whoever says of a model what it may take in all means its streams, too.
    answerSeconds: written.total_seconds ?? Math.max(settings.answerSeconds, totalSeconds),
  };
}

function singleModel(settings: LanguageModelSettings): ModelDefinition[] {
  const { provider: protocol, apiKey, model } = settings;
  if (protocol === 'quoting' || !model) return [];
  const baseUrl = addressOf(protocol, settings.baseUrl);
  if (baseUrl === null) return [];
  return [
    {
      id: 1,
      name: model,
      value: model,
      provider: URL.parse(baseUrl)?.hostname ?? '',
      capability: 'chat',
      description: null,
      details: [],
      onPremises: null,
      protocol,
      baseUrl,
      apiKey: apiKey ?? null,
      accessKeyId: null,
      headers: {},
      extraBody: {},
      contextWindow: null,
      maxOutputTokens: null,
      // What it cannot it says itself, and is not asked again.
      supports: {
        tools: true,
        structuredOutput: true,
        images: true,
        reasoning: true,
        documents: protocol !== 'openai',
      },
      takesTemperature: true,
      price: null,
      maxConcurrency: null,
      requestsPerMinute: null,
      timeouts: timeoutsOf(settings),
      maxRetries: 2,
      fallback: null,
      isDefault: true,
    },
  ];
}
