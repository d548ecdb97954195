import { OutsideFault } from '@app/common';
import type { CustomFetchOptions } from 'openid-client';

const MAX_BYTES = 1_048_576;

/** The provider is out of reach, or answers what no provider may. */
export class ProviderAnswerError extends OutsideFault {
  readonly code = 'provider_answer';
  override readonly name = 'ProviderAnswerError';
}

/** The provider refuses the code or the application, whether or not in the words of OAuth. */
export class ProviderRefusedError extends OutsideFault {
  readonly code = 'provider_refused';
  override readonly name = 'ProviderRefusedError';
}

async function readBounded(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new ProviderAnswerError(`its answer is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseObject(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** `openid-client` asks for the code's exchange by POST, and for all else (discovery, keys, user info) by GET. */
function check(method: string, { status, headers }: Response, body: Buffer): void {
  if (method === 'POST' && status >= 400 && status < 500 && status !== 429) {
    const error = parseObject(body)?.['error'];
    throw new ProviderRefusedError(`it answers ${status} ${typeof error === 'string' ? error.slice(0, 60) : ''}`);
  }
  if (status !== 200) throw new ProviderAnswerError(`it answers ${status}`);
  const isJwt = headers.get('content-type')?.startsWith('application/jwt') ?? false;
  if (!isJwt && !parseObject(body)) throw new ProviderAnswerError('its answer is no JSON object');
}

/**
 * One call to a provider: at most a megabyte, the body read within the caller's time limit, no redirect followed.
 * @throws ProviderAnswerError, ProviderRefusedError
 */
export async function providerFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  let response: Response;
  let body: Buffer;
  try {
    response = await fetch(url, options as RequestInit);
    body = await readBounded(response);
  } catch (cause) {
    if (cause instanceof ProviderAnswerError) throw cause;
    throw new ProviderAnswerError('it cannot be reached', { cause });
  }
  check(options.method, response, body);
  return new Response(new Uint8Array(body), { status: response.status, headers: response.headers });
}
