import type { ModelProtocol } from '@app/config';
import type { EgressGuard } from '../guarded-fetch/egress-guard.js';
import { endpointAddress } from '../openai/endpoint-address.js';
import { EndpointFault, toHttpFault, toModelError } from './endpoint-fault.js';
import { endpointFetch } from './endpoint-fetch.js';
import { isObject } from './is-object.js';

/** A model as its endpoint lists it. */
export interface OfferedModel {
  value: string;
  name: string;
}

export interface ListedEndpoint {
  protocol: ModelProtocol;
  baseUrl: string;
  apiKey: string | null;
  headers: Readonly<Record<string, string>>;
  guard?: EgressGuard;
}

const MAX_MODELS = 1000;
const MAX_LENGTH = 200;
const MAX_CHARACTERS = 4_000_000;
const ANTHROPIC_VERSION = '2023-06-01';

/** Whether endpoints of the protocol say what they have. */
export function listsModels(protocol: ModelProtocol): boolean {
  return protocol !== 'bedrock';
}

/**
 * Asks an endpoint which models it has.
 * @throws the `DomainError` of a call that failed, with its `EndpointFault`; the reason of the signal
 */
export async function listOfferedModels(endpoint: ListedEndpoint, signal: AbortSignal): Promise<OfferedModel[]> {
  const { baseUrl, protocol, headers, guard, apiKey } = endpoint;
  const { url } = endpointAddress(baseUrl, undefined);
  const asked = { method: 'GET', headers: { accept: 'application/json', ...proofOf(endpoint), ...headers }, signal };
  try {
    const address = url('/models') + (protocol === 'gemini' ? '?pageSize=1000' : '');
    const response = await endpointFetch(address, asked, guard);
    const text = await response.text();
    if (!response.ok)
      throw toHttpFault({ status: response.status, headers: Object.fromEntries(response.headers), text });
    return offeredIn(text, apiKey);
  } catch (error) {
    throw toModelError(error, signal, undefined);
  }
}

function proofOf({ protocol, apiKey, baseUrl }: ListedEndpoint): Record<string, string> {
  const version = protocol === 'anthropic' ? { 'anthropic-version': ANTHROPIC_VERSION } : {};
  if (apiKey === null) return version;
  if (protocol === 'anthropic') return { ...version, 'x-api-key': apiKey };
  if (protocol === 'gemini') return { 'x-goog-api-key': apiKey };
  return endpointAddress(baseUrl, apiKey).headers;
}

/** Names only: an endpoint that says the key again is not repeated. */
function offeredIn(text: string, apiKey: string | null): OfferedModel[] {
  const answer = text.length <= MAX_CHARACTERS ? parsed(text) : null;
  const listed = Array.isArray(answer) ? answer : isObject(answer) ? (answer.data ?? answer.models) : null;
  if (!Array.isArray(listed))
    throw new EndpointFault('The endpoint answered with something that is no list of models.');
  const offered = new Map<string, OfferedModel>();
  for (const one of listed.slice(0, MAX_MODELS)) {
    if (!isObject(one)) continue;
    const value = plain(one.id ?? one.name).replace(/^models\//, '');
    const name = plain(one.display_name ?? one.displayName) || value;
    const repeats = apiKey !== null && (value.includes(apiKey) || name.includes(apiKey));
    if (value !== '' && !repeats) offered.set(value, { value, name });
  }
  return [...offered.values()];
}

function plain(value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return '';
  return value
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
