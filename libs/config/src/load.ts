import { StartupError } from '@app/common';
import { concerns } from './concerns/index.js';
import { findAnswering, findEncoder } from './models/model-references.js';
import { addressOf } from './models/protocol-of.js';
import { type ConfiguredModels, type LanguageModelSettings, readModels } from './models/read-models.js';
import type { Concern, ConcernValues, Setting } from './setting.js';
import { fileVariable, readSecret } from './secret-files.js';
import { isGuessableKey, isMasterKey, whyNoMasterKey } from './master-key.js';

type Concerns = typeof concerns;
export type AppConfig = { readonly [K in keyof Concerns]: ConcernValues<Concerns[K]> } & {
  /** What `languageModel` comes to. */
  readonly models: ConfiguredModels;
};

/** Every mistake of the environment at once, one sentence each. */
export class ConfigurationError extends StartupError {
  override name = 'ConfigurationError';

  constructor(readonly mistakes: string[]) {
    super(`The configuration is not usable:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`);
  }
}

const declared = new Set(
  Object.values(concerns).flatMap((concern: Concern) => Object.values(concern).map(({ env }) => env)),
);

/** What names a file with its value: of every secret, unless a setting of that name says something of its own. */
function fileOf({ env, secret }: Setting): string | null {
  return secret && !declared.has(fileVariable(env)) ? fileVariable(env) : null;
}

function read(setting: Setting, env: NodeJS.ProcessEnv, mistakes: string[]): unknown {
  let refused = false;
  const complain = (mistake: string) => {
    refused = true;
    mistakes.push(`${mistake}.`);
  };
  const raw = fileOf(setting) === null ? env[setting.env] || undefined : readSecret(setting.env, env, complain);
  if (refused) return undefined;
  const parsed = setting.schema.safeParse(raw ?? setting.fallback);
  if (parsed.success) return parsed.data;
  const problem = raw === undefined ? 'is required' : parsed.error.issues.map((issue) => issue.message).join('; ');
  const given = raw === undefined || setting.secret ? '' : `, and is "${raw.slice(0, 100)}"`;
  mistakes.push(`${setting.env} ${problem}${given}. ${setting.description}.`);
  return undefined;
}

function isIssuer(address: string, allowHttp: boolean): boolean {
  const url = URL.parse(address);
  return url !== null && (url.protocol === 'https:' || (allowHttp && url.protocol === 'http:'));
}

function isPlainAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
}

const S3_PREFIX = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*\/?$/;

/** An origin as browsers write it; the second form is that of an Android app. */
const ORIGIN = /^(https?:\/\/[a-z0-9.-]+(:\d+)?|android:apk-key-hash:[\w-]+)$/;
/** As the Origin header has it: scheme and host, perhaps a port; of apps, schemes of their own. */
const CALLING_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.:[\]-]+$/;
/** Whose first label may stand for the id of an artifact. */
const PAGE_ORIGIN = /^https?:\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/;
const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/;

const PROFILE = /^(?:[a-z0-9_-]|\{agent_id\}|\{user_id\})+$/;

function mistakesOfGateway({ kind, url, key, profile }: AppConfig['agentGateway']): string[] {
  if (kind !== 'hermes') return [];
  const mistakes: string[] = [];
  if (!url || !key) mistakes.push('AGENT_GATEWAY=hermes needs AGENT_GATEWAY_URL and AGENT_GATEWAY_KEY.');
  if (url && !isPlainAddress(url))
    mistakes.push('AGENT_GATEWAY_URL must be an http or https address without user, password and query.');
  else if (url && /\/v1\/*$/.test(url))
    mistakes.push('AGENT_GATEWAY_URL must be the address without /v1 at its end, which is added to it.');
  if (key && !/^[\x21-\x7e]{16,}$/.test(key))
    mistakes.push('AGENT_GATEWAY_KEY must have 16 visible ASCII characters at least.');
  if (profile !== 'none' && !(PROFILE.test(profile) && /\{(?:agent|user)_id\}/.test(profile)))
    mistakes.push(
      'AGENT_GATEWAY_PROFILE must hold {agent_id} or {user_id}, so that no agent sees what another remembers; beside that, small letters, digits, - and _.',
    );
  return mistakes;
}

function mistakesOfBilling(billing: AppConfig['billing'], env: NodeJS.ProcessEnv): string[] {
  const { kind, testInProduction } = billing;
  if (kind === 'stripe') return mistakesOfStripe(billing, env);
  if (kind === 'test' && env.NODE_ENV === 'production' && !testInProduction)
    return [
      'BILLING=test moves no money, and is refused with NODE_ENV=production; to have it all the same: BILLING_TEST_IN_PRODUCTION=true.',
    ];
  return [];
}

function mistakesOfStripe(
  { stripeSecretKey: key, stripeWebhookSecret: signing, stripeUrl: url, testInProduction }: AppConfig['billing'],
  env: NodeJS.ProcessEnv,
): string[] {
  if (!key || !signing) return ['BILLING=stripe needs STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.'];
  const mistakes: string[] = [];
  const isLive = /^(?:sk|rk)_live_/.test(key);
  if (!/^(?:sk|rk)_(?:live|test)_[\x21-\x7e]+$/.test(key))
    mistakes.push(
      'STRIPE_SECRET_KEY must be a secret or restricted key of Stripe: it begins with sk_live_, sk_test_, rk_live_ or rk_test_.',
    );
  if (!/^whsec_[\x21-\x7e]+$/.test(signing))
    mistakes.push('STRIPE_WEBHOOK_SECRET must be the signing secret of the endpoint: it begins with whsec_.');
  if (env.NODE_ENV === 'production' && !isLive && !testInProduction && mistakes.length === 0)
    mistakes.push(
      'STRIPE_SECRET_KEY is one of test mode, in which everybody pays with the numbers of cards that Stripe publishes; to have it with NODE_ENV=production all the same: BILLING_TEST_IN_PRODUCTION=true.',
    );
  if (url === undefined) return mistakes;
  if (!isPlainAddress(url) || URL.parse(url)?.pathname !== '/')
    mistakes.push('STRIPE_API_URL must be an http or https address without user, password, path and query.');
  else if (isLive && !url.startsWith('https:'))
    mistakes.push(
      'STRIPE_API_URL must begin with https: a live key is not sent over a connection that others can read.',
    );
  return mistakes;
}

function mistakesBetweenSettings(config: AppConfig, env: NodeJS.ProcessEnv): string[] {
  const mistakes: string[] = [];
  const { languageModel, embeddings, secrets, leases, sso, mail, sms, webauthn, storage, s3, http, reranker } = config;
  const isListed = languageModel.models !== undefined || languageModel.modelsFile !== undefined;
  const { provider } = languageModel;
  if (provider !== 'quoting' && !isListed) {
    const isPlaced = addressOf(provider, languageModel.baseUrl) !== null;
    const needed = isPlaced && !languageModel.baseUrl ? 'LLM_MODEL' : 'LLM_BASE_URL and LLM_MODEL';
    if (!isPlaced || !languageModel.model)
      mistakes.push(`LLM_PROVIDER=${provider} needs ${needed}, or a list of models in LLM_MODELS or LLM_MODELS_FILE.`);
  }
  const { queries, models } = config;
  const isListedEncoder = embeddings.model !== undefined && findEncoder(models.list, embeddings.model) !== null;
  if (embeddings.provider === 'openai' && (!embeddings.model || (!embeddings.baseUrl && !isListedEncoder)))
    mistakes.push(
      'EMBEDDINGS_PROVIDER=openai needs EMBEDDINGS_MODEL and EMBEDDINGS_BASE_URL, or as EMBEDDINGS_MODEL the value, name or id of a model of the capability embed.',
    );
  if (queries.model !== undefined && models.list.length > 0 && !findAnswering(models.list, queries.model))
    mistakes.push('QUERY_MODEL must be the value, name or id of a chat or vision model that is configured.');
  if (reranker.provider === 'endpoint' && (!reranker.baseUrl || !reranker.model))
    mistakes.push('RERANKER_PROVIDER=endpoint needs RERANKER_BASE_URL and RERANKER_MODEL.');
  if (config.extractor.kind === 'http' && !config.extractor.url) mistakes.push('EXTRACTOR=http needs EXTRACTOR_URL.');
  mistakes.push(...mistakesOfGateway(config.agentGateway), ...mistakesOfBilling(config.billing, env));
  const keys = [secrets.key, ...secrets.previousKeys].map((key, place) => ({ key, name: nameOfKey(place) }));
  const malformed = keys.filter(({ key }) => !isMasterKey(key));
  if (malformed.length > 0) {
    const reasons = malformed.map(({ key, name }) => `${name} ${whyNoMasterKey(key)}`).join(' ');
    mistakes.push(
      'SECRETS_KEY and each of SECRETS_PREVIOUS_KEYS must be 32 bytes in base64, without spaces or quotes. ' +
        `${reasons} To make one: openssl rand -base64 32`,
    );
  } else if (isGuessableKey(secrets.key))
    mistakes.push(
      'SECRETS_KEY can be guessed: it was not drawn at random. Make a new one (openssl rand -base64 32); where this one ' +
        'was in use, put it into SECRETS_PREVIOUS_KEYS and run `npm run admin -- keys rewrap`.',
    );
  if (storage.provider === 's3' && !s3.bucket) mistakes.push('STORAGE_PROVIDER=s3 needs S3_BUCKET.');
  if (Boolean(s3.accessKeyId) !== Boolean(s3.secretAccessKey))
    mistakes.push('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY belong together: set both or none.');
  if (s3.endpoint !== undefined && !isPlainAddress(s3.endpoint))
    mistakes.push('S3_ENDPOINT must be an http or https address without user, password and query.');
  if (s3.prefix !== undefined && !S3_PREFIX.test(s3.prefix))
    mistakes.push('S3_PREFIX may hold letters, digits, - _ . and single slashes, none at its beginning.');
  if (mail.provider === 'smtp' && !/^smtps?:\/\//.test(mail.smtpUrl ?? ''))
    mistakes.push('MAIL_PROVIDER=smtp needs SMTP_URL, beginning with smtp:// or smtps://.');
  if (sms.provider === 'twilio' && !(sms.accountSid && sms.authToken && sms.from))
    mistakes.push('SMS_PROVIDER=twilio needs TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM.');
  if (new Set([sso.platformIssuer, sso.platformClientId, sso.platformClientSecret].map(Boolean)).size > 1)
    mistakes.push(
      'SSO_PLATFORM_ISSUER, SSO_PLATFORM_CLIENT_ID and SSO_PLATFORM_CLIENT_SECRET belong together: set all or none.',
    );
  for (const issuer of [sso.orgIssuer, sso.platformIssuer].filter((value) => value !== undefined))
    if (!isIssuer(issuer, sso.allowHttp))
      mistakes.push(`${issuer} is no issuer: an https address is needed (http only with SSO_ALLOW_HTTP).`);
  for (const origin of http.corsOrigins)
    if (!CALLING_ORIGIN.test(origin))
      mistakes.push(
        `${origin} in CORS_ORIGINS is no origin, such as https://app.example: in lower case, without a path or a slash at its end.`,
      );
  const { origin: pageOrigin } = config.artifacts;
  if (pageOrigin !== undefined && !(PAGE_ORIGIN.test(pageOrigin) && URL.canParse(pageOrigin.replace('*', 'x'))))
    mistakes.push(
      'ARTIFACT_ORIGIN must be an origin in lower case, such as https://pages.example or https://*.pages.example.',
    );
  else if (
    pageOrigin !== undefined &&
    [URL.parse(http.publicUrl ?? '')?.origin, ...http.corsOrigins].includes(pageOrigin)
  )
    mistakes.push('ARTIFACT_ORIGIN must be another origin than those of PUBLIC_URL and CORS_ORIGINS.');
  for (const origin of webauthn.origins)
    if (!ORIGIN.test(origin))
      mistakes.push(`${origin} in WEBAUTHN_ORIGINS is no origin, such as https://atrium.example.`);
  if (webauthn.rpId !== undefined && !DOMAIN.test(webauthn.rpId))
    mistakes.push('WEBAUTHN_RP_ID must be a domain in lower case, without scheme and port, such as atrium.example.');
  if (leases.heartbeatSeconds * 2 > leases.leaseSeconds)
    mistakes.push('LEASE_SECONDS must be at least twice HEARTBEAT_SECONDS.');
  return mistakes;
}

/**
 * Reads the whole configuration once, from `env` (the process environment unless a test gives its own).
 * @throws ConfigurationError naming every missing or wrong setting.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): AppConfig {
  const mistakes: string[] = [];
  const entries = Object.entries(concerns).map(([name, concern]) => {
    const values = Object.entries(concern as Concern).map(([key, setting]) => [key, read(setting, env, mistakes)]);
    return [name, Object.freeze(Object.fromEntries(values))];
  });
  const { languageModel } = Object.fromEntries(entries) as { languageModel: LanguageModelSettings };
  const models = Object.freeze(readModels(languageModel, env, mistakes));
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  const config = Object.freeze({ ...Object.fromEntries(entries), models }) as AppConfig;
  const between = mistakesBetweenSettings(config, env);
  if (between.length > 0) throw new ConfigurationError(between);
  return config;
}

/** Only what a migration needs, so that it runs before the other settings are there. */
export function loadDatabaseConfig(env: NodeJS.ProcessEnv = process.env): AppConfig['database'] {
  const mistakes: string[] = [];
  const values = Object.entries(concerns.database as Concern).map(([key, setting]) => [
    key,
    read(setting, env, mistakes),
  ]);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return Object.freeze(Object.fromEntries(values)) as AppConfig['database'];
}

export interface SettingRow {
  concern: string;
  env: string;
  description: string;
  fallback: string | null;
  secret: boolean;
  /** The variable that may name a file with its value instead. */
  file: string | null;
}

/** Every setting with its sentence, for docs/settings.md and docker/env.example. */
export function listSettings(): SettingRow[] {
  return Object.entries(concerns).flatMap(([concern, settings]) =>
    Object.values(settings as Concern).map((setting) => {
      const { env, description, fallback, secret } = setting;
      return { concern, env, description, fallback: fallback ?? null, secret, file: fileOf(setting) };
    }),
  );
}

function nameOfKey(place: number): string {
  return place === 0 ? 'SECRETS_KEY' : `Key ${place} of SECRETS_PREVIOUS_KEYS`;
}
