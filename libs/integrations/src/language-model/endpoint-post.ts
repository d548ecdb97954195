import type { EgressGuard } from '../guarded-fetch/egress-guard.js';
import { EndpointFault, toHttpFault } from './endpoint-fault.js';
import { endpointFetch } from './endpoint-fetch.js';
import { isObject } from './is-object.js';

export interface EndpointCall {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
  /** Where a person chose the address. */
  guard?: EgressGuard;
}

/** @returns the JSON object of the answer @throws EndpointFault, the network's error, or the reason of the signal */
export async function postJson({ url, headers, body, signal, guard }: EndpointCall): Promise<Record<string, unknown>> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
  };
  const response = await endpointFetch(url, request, guard);
  const text = await response.text();
  if (!response.ok) throw toHttpFault({ status: response.status, headers: Object.fromEntries(response.headers), text });
  const answer = parsed(text);
  if (!isObject(answer))
    throw new EndpointFault('The answer of the endpoint could not be read (no JSON object).', { isPassing: true });
  return answer;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
