import { isDictionary } from '@app/common';
import { withTrace } from '@app/integrations';
import { GatewayRefusedError, GatewayUnreachableError } from '../gateway/agent-gateway.js';

const MB = 1024 * 1024;
const MAX_BODY_BYTES = 8 * MB;
/** Where nothing went out, nothing can have begun. */
const NOTHING_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export interface HermesOptions {
  baseUrl: string;
  apiKey: string;
  /** With `{agent_id}` and `{user_id}`; null: no profiles. */
  profile: string | null;
  timeoutSeconds: number;
  /** Of a stream, without an event or a comment. */
  silenceMs?: number;
  pollMs?: number;
}

/** Whose agent is meant. */
export interface Owner {
  agentId: string;
  userId: number;
}

export interface HermesAnswer {
  status: number;
  /** Null: it is no JSON object. */
  body: Record<string, unknown> | null;
}

/** A call of which nobody knows whether it has reached the gateway. */
export class UnclearError extends GatewayUnreachableError {}

/** Calls of one gateway over HTTP, bounded in time and size. Redirects are not followed: they would take the key elsewhere. */
export class HermesClient {
  constructor(private readonly options: HermesOptions) {}

  /** @throws GatewayUnreachableError, an `UnclearError` where the call may have arrived */
  async call(
    owner: Owner,
    method: 'GET' | 'POST',
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<HermesAnswer> {
    const signal = AbortSignal.timeout(this.options.timeoutSeconds * 1000);
    try {
      const response = await this.fetch(owner, method, path, { signal, body, headers });
      return { status: response.status, body: await readObject(response) };
    } catch (error) {
      throw toUnreachable(error);
    }
  }

  /** @throws GatewayUnreachableError @returns the response whose body is to be read or cancelled */
  async open(owner: Owner, path: string, headers: Record<string, string>, ending: AbortController): Promise<Response> {
    const timer = setTimeout(() => ending.abort(), this.options.timeoutSeconds * 1000);
    try {
      return await this.fetch(owner, 'GET', path, { signal: ending.signal, headers });
    } catch (error) {
      throw toUnreachable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private fetch(
    owner: Owner,
    method: string,
    path: string,
    { signal, body, headers }: { signal: AbortSignal; body?: unknown; headers: Record<string, string> },
  ): Promise<Response> {
    const { baseUrl, apiKey } = this.options;
    return fetch(`${baseUrl.replace(/\/+$/, '')}${this.prefixOf(owner)}${path}`, {
      method,
      headers: withTrace({
        accept: 'application/json',
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal,
    });
  }

  private prefixOf({ agentId, userId }: Owner): string {
    const { profile } = this.options;
    if (profile === null) return '';
    return `/p/${encodeURIComponent(profile.replaceAll('{agent_id}', agentId).replaceAll('{user_id}', String(userId)))}`;
  }
}

/** Counted after it is unpacked. */
export async function readObject({ body }: Response): Promise<Record<string, unknown> | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > MAX_BODY_BYTES) throw new UnclearError('The answer of the gateway is too long.');
    pieces.push(piece);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    return isDictionary(value) ? value : null;
  } catch {
    return null;
  }
}

export function codeOf({ body }: HermesAnswer): string {
  const error = body?.error;
  return isDictionary(error) && typeof error.code === 'string' ? error.code.slice(0, 100) : '';
}

function messageOf({ body }: HermesAnswer): string {
  const error = isDictionary(body?.error) ? body.error.message : body?.error;
  return typeof error === 'string' && error !== '' ? error.slice(0, 500) : 'The gateway refused.';
}

/** The gateway's own word that it knows no such run; what a proxy in front of it says is none. */
export function isRunUnknown(answer: HermesAnswer): boolean {
  if (answer.status !== 404) return false;
  return codeOf(answer) === 'run_not_found' || /^run not found/i.test(messageOf(answer));
}

/** @param fallback the code where the gateway names none */
export function toFailure(answer: HermesAnswer, fallback: string): GatewayRefusedError | GatewayUnreachableError {
  const { status, body } = answer;
  const refused = (as: 400 | 404 | 409 | 429) =>
    new GatewayRefusedError(messageOf(answer), as, codeOf(answer) || fallback);
  if (status === 401 || status === 403) return new GatewayUnreachableError('The gateway does not accept its key.');
  if (status === 503 && codeOf(answer) === 'gateway_draining')
    return new GatewayUnreachableError('The gateway is being stopped.');
  if (status === 429) return refused(429);
  if (status === 413) return new GatewayRefusedError(messageOf(answer), 400, 'body_too_large');
  if (body === null || !('error' in body) || status < 400 || status >= 500)
    return new UnclearError(`The gateway answered with ${status}, and not as it should.`);
  return refused(status === 404 || status === 409 ? status : 400);
}

function toUnreachable(error: unknown): GatewayUnreachableError {
  if (error instanceof GatewayUnreachableError) return error;
  const { cause } = error as { cause?: { code?: string } };
  const code = cause?.code ?? '';
  if (NOTHING_SENT.has(code)) return new GatewayUnreachableError('The gateway cannot be reached.', { cause: error });
  return new UnclearError('The gateway did not answer.', { cause: error });
}
