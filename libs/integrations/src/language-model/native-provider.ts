import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { EgressGuard } from '../guarded-fetch/egress-guard.js';
import { endpointFetch } from './endpoint-fetch.js';

/** Protocols that the AI SDK's providers speak, each the vendor's own. */
export const NATIVE_PROTOCOLS = ['openai-responses', 'anthropic', 'gemini', 'bedrock'] as const;
export type NativeProtocol = (typeof NATIVE_PROTOCOLS)[number];

export interface NativeEndpoint {
  baseUrl: string;
  apiKey?: string;
  /** Of Bedrock, with `apiKey` as its secret; without, `apiKey` is a Bedrock API key. */
  accessKeyId?: string;
  model: string;
  headers: Readonly<Record<string, string>>;
  extraBody: Readonly<Record<string, unknown>>;
  /** Where a person chose the address. */
  guard?: EgressGuard;
}

/** Loads the provider's package when it is first needed: most deployments need one of them, and none at the start. */
export function createNative(protocol: NativeProtocol, endpoint: NativeEndpoint): Promise<LanguageModelV4> {
  return CREATORS[protocol](endpoint);
}

/** Without a key of ours the packages would look for one in the environment. */
const NO_KEY = 'none';

const CREATORS: Record<NativeProtocol, (endpoint: NativeEndpoint) => Promise<LanguageModelV4>> = {
  'openai-responses': async (endpoint) => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI(settingsOf(endpoint)).responses(endpoint.model);
  },
  anthropic: async (endpoint) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic(settingsOf(endpoint)).languageModel(endpoint.model);
  },
  gemini: async (endpoint) => {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle(settingsOf(endpoint)).languageModel(endpoint.model);
  },
  bedrock: async (endpoint) => {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const { accessKeyId, apiKey = NO_KEY } = endpoint;
    const { baseURL, headers, fetch } = settingsOf(endpoint);
    const region = /bedrock-runtime[\w-]*\.([\w-]+)\./.exec(baseURL)?.[1] ?? 'us-east-1';
    const secret = accessKeyId === undefined ? { apiKey } : { accessKeyId, secretAccessKey: apiKey };
    return createAmazonBedrock({ baseURL, headers, fetch, region, ...secret }).languageModel(endpoint.model);
  },
};

function settingsOf({ baseUrl, apiKey = NO_KEY, headers, extraBody, guard }: NativeEndpoint) {
  const isAzure = new URL(baseUrl).hostname.endsWith('.azure.com');
  return {
    baseURL: baseUrl.replace(/\/+$/, ''),
    apiKey,
    headers: { ...(isAzure && { 'api-key': apiKey }), ...headers },
    fetch: (input: string | URL | Request, init?: RequestInit) =>
      endpointFetch(input, withMembers(init, extraBody), guard),
  };
}

function withMembers(init: RequestInit | undefined, members: Readonly<Record<string, unknown>>) {
  if (typeof init?.body !== 'string' || Object.keys(members).length === 0) return init;
  const body = JSON.parse(init.body) as Record<string, unknown>;
  return { ...init, body: JSON.stringify({ ...body, ...members }) };
}
