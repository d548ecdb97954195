import { createHash } from 'node:crypto';
import { type HttpPort, type ToolContext, ToolError } from '@app/workflow-definition';
import { requireHttp, toToolError } from './http-failure.js';
import type { HttpParams } from './http-params.js';
import { readText } from './response-body.js';

interface KeptToken {
  token: string;
  /** Milliseconds since the epoch. */
  usableUntil: number;
}

const MAX_KEPT = 500;
const MAX_ANSWER_BYTES = 256 * 1024;
const DEFAULT_SECONDS = 300;
/** Before a token ends, so that it does not end on its way. */
const MARGIN_SECONDS = 30;

/** Per way out, so that tests and deployments do not share tokens. Never written anywhere. */
const keptTokens = new WeakMap<HttpPort, Map<string, KeptToken>>();

/**
 * An access token by the OAuth 2 client credentials grant (RFC 6749, section 4.4), kept until it ends.
 * @throws ToolError `oauth_failed`, and what the call throws
 */
export async function accessToken(params: HttpParams, context: ToolContext, fresh: boolean): Promise<string> {
  const http = requireHttp(context);
  const kept = keptTokens.get(http) ?? new Map<string, KeptToken>();
  keptTokens.set(http, kept);
  const key = keyOf(params, context);
  const known = kept.get(key);
  if (known && !fresh && known.usableUntil > context.now()) return known.token;
  const found = await fetchToken(params, context);
  kept.delete(key);
  kept.set(key, found);
  const oldest = kept.size > MAX_KEPT ? kept.keys().next().value : undefined;
  if (oldest !== undefined) kept.delete(oldest);
  return found.token;
}

function keyOf(params: HttpParams, { viewer }: ToolContext): string {
  const { token_url, client_id, client_secret, scope, audience, client_auth } = params;
  const parts = [viewer.userId, token_url, client_id, client_secret, scope, audience, client_auth];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

async function fetchToken(params: HttpParams, context: ToolContext): Promise<KeptToken> {
  const { client_id: id, client_secret: secret, scope, audience } = params;
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== '') form.set('scope', scope);
  if (audience !== '') form.set('audience', audience);
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  if (params.client_auth === 'body') {
    form.set('client_id', id);
    form.set('client_secret', secret);
  } else {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  const request = { method: 'POST', headers, body: form.toString(), signal: context.signal };
  const limits = { timeoutMs: params.timeout_seconds * 1_000, maxBytes: MAX_ANSWER_BYTES, maxRedirects: 0 };
  let status: number;
  let text: string;
  try {
    const response = await requireHttp(context).request(params.token_url, { ...request, ...limits });
    status = response.status;
    text = await readText(response);
  } catch (error) {
    throw toToolError(error);
  }
  const token = status === 200 ? readToken(text) : null;
  // What the endpoint says beside it may repeat the secret.
  if (token === null)
    throw new ToolError('oauth_failed', `The token address gave no token (${status}).`, status >= 500);
  return { token: token.text, usableUntil: context.now() + (token.seconds - MARGIN_SECONDS) * 1_000 };
}

function readToken(text: string): { text: string; seconds: number } | null {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof answer !== 'object' || answer === null) return null;
  const { access_token: token, expires_in: seconds } = answer as Record<string, unknown>;
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,20000}$/.test(token)) return null;
  const lasts = Number(seconds);
  return { text: token, seconds: Number.isFinite(lasts) && lasts > 0 ? lasts : DEFAULT_SECONDS };
}
