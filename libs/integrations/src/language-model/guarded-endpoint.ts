import { Readable } from 'node:stream';
import type { EgressGuard } from '../guarded-fetch/egress-guard.js';
import { GuardedFetch } from '../guarded-fetch/guarded-fetch.js';
import { EndpointFault } from './endpoint-fault.js';

const MB = 1024 * 1024;
const MAX_BYTES = 64 * MB;
/** Whoever calls has a time-out of their own, which is shorter. */
const LONGEST_MS = 3_600_000;
const WITHOUT_BODY = new Set([204, 205, 304]);

/** `fetch` for endpoints whose address a person chose: checked, bounded, and never redirected. */
export async function guardedEndpointFetch(
  guard: EgressGuard,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const { method = 'GET', headers, body, signal } = init;
  if (input instanceof Request || (body !== undefined && body !== null && typeof body !== 'string'))
    throw new TypeError('Endpoints of people are asked with an address and a text.');
  const answer = await new GuardedFetch(guard).request(input, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    timeoutMs: LONGEST_MS,
    maxBytes: MAX_BYTES,
    maxRedirects: 0,
    ...(typeof body === 'string' && { body }),
    ...(signal && { signal }),
  });
  const { status } = answer;
  if (status < 200 || status > 599 || (status >= 300 && status < 400)) {
    answer.body.destroy();
    const told = status >= 300 && status < 400 ? 'with a redirect' : 'with an unknown status';
    throw new EndpointFault(`The endpoint answered ${told}.`, { status });
  }
  const kept = new Headers();
  for (const [name, value] of Object.entries(answer.headers))
    if (typeof value === 'string' && /^[\x20-\x7e]{0,8000}$/.test(value)) kept.set(name, value);
  if (WITHOUT_BODY.has(status)) {
    answer.body.destroy();
    return new Response(null, { status, headers: kept });
  }
  return new Response(Readable.toWeb(answer.body) as ReadableStream<Uint8Array>, { status, headers: kept });
}
