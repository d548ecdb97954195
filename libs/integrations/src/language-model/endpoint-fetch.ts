import type { EgressGuard } from '../guarded-fetch/egress-guard.js';
import { withTrace } from '../guarded-fetch/with-trace.js';
import { EndpointFault } from './endpoint-fault.js';
import { guardedEndpointFetch } from './guarded-endpoint.js';

const MB = 1024 * 1024;
const MAX_BYTES = 64 * MB;
const MAX_ERROR_BYTES = MB;

/**
 * `fetch` for model endpoints: bounded bodies, and no redirects to elsewhere with the key.
 * @param guard where a person chose the address, and not the deployment
 */
export async function endpointFetch(
  input: string | URL | Request,
  init?: RequestInit,
  guard?: EgressGuard,
): Promise<Response> {
  if (guard) return guardedEndpointFetch(guard, input, init);
  const sent = withTrace(Object.fromEntries(new Headers(init?.headers)));
  const response = await fetch(input, { ...init, headers: sent, redirect: 'manual' });
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new EndpointFault('The endpoint answered with a redirect.', { status: response.status });
  }
  if (!response.body) return response;
  const { status, statusText, headers, body } = response;
  return new Response(bounded(body, response.ok ? MAX_BYTES : MAX_ERROR_BYTES), { status, statusText, headers });
}

function bounded(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= maxBytes) controller.enqueue(chunk);
      else controller.error(new EndpointFault('The answer of the endpoint is too large.', { isOfEndpoint: false }));
    },
  });
  return body.pipeThrough(limit);
}
