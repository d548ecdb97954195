import { cutText } from '@app/common';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type HttpResponse, Redaction, type ToolContext, ToolError } from '@app/workflow-definition';
import { requireHttp } from './http-failure.js';
import type { HttpParams } from './http-params.js';
import type { NextPage } from './pagination.js';
import { credentialsOf, type Credentials } from './request-auth.js';
import type { PreparedBody } from './request-body.js';

/** They frame the message or steer the connection: that is the client's own business. */
const RESERVED = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const MAX_REDIRECTS = 3;
/** Shorter ones would blot out ordinary text. */
const SHORTEST_CREDENTIAL = 8;

/** One request with all that belongs to it; `send` may be called for each page and each try. */
export class HttpCall {
  private readonly first: URL;
  private credentials: Credentials | null = null;

  /** @throws ToolError `invalid_url`, `invalid_header` */
  constructor(
    private readonly params: HttpParams,
    private readonly prepared: PreparedBody,
    private readonly context: ToolContext,
  ) {
    const url = URL.parse(params.url);
    if (!url) throw new ToolError('invalid_url', 'The address is not valid.', false);
    for (const [name, value] of Object.entries(params.query))
      if (value !== null) url.searchParams.append(name, String(value));
    this.first = url;
  }

  /** @throws EgressError; ToolError */
  async send(page: NextPage | null, number: number): Promise<HttpResponse> {
    const isFresh = this.credentials === null;
    this.credentials ??= await credentialsOf(this.params, this.context, false);
    const response = await this.sendWith(this.credentials, page, number);
    if (response.status !== 401 || this.params.auth !== 'oauth2' || !isFresh) return response;
    // The token may have been withdrawn before its time.
    response.body.destroy();
    this.credentials = await credentialsOf(this.params, this.context, true);
    return this.sendWith(this.credentials, page, number);
  }

  /**
   * What was received without the credentials that were sent: hosts that echo requests are not rare, and outputs are
   * shown to more people than may know them.
   */
  withoutCredentials<T>(received: T): T {
    const { password, token, key_value: key, client_secret: secret } = this.params;
    const bearer = this.params.auth === 'oauth2' ? (this.credentials?.headers.authorization ?? '').slice(7) : '';
    const values = [password, token, key, secret, bearer].filter((value) => value.length >= SHORTEST_CREDENTIAL);
    return this.params.auth === 'none' || values.length === 0 ? received : new Redaction(values).ofValue(received);
  }

  private sendWith(credentials: Credentials, page: NextPage | null, number: number): Promise<HttpResponse> {
    const { method, timeout_seconds: seconds, max_bytes: maxBytes, follow_redirects: follows } = this.params;
    const { body } = this.prepared;
    return requireHttp(this.context).request(this.addressOf(credentials, page), {
      method,
      headers: this.headersOf(credentials, number),
      ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body }),
      signal: this.context.signal,
      timeoutMs: seconds * 1_000,
      maxBytes,
      maxRedirects: follows ? MAX_REDIRECTS : 0,
    });
  }

  private addressOf(credentials: Credentials, page: NextPage | null): URL {
    const url = new URL(page && 'url' in page ? page.url : this.first);
    if (page && 'query' in page) url.searchParams.set(...page.query);
    for (const [name, value] of Object.entries(credentials.query)) url.searchParams.set(name, value);
    return url;
  }

  private headersOf(credentials: Credentials, page: number): Record<string, string> {
    const { method, headers: own } = this.params;
    const { contentType } = this.prepared;
    const headers: Record<string, string> = { ...(contentType !== null && { 'content-type': contentType }) };
    if (!['GET', 'HEAD', 'OPTIONS'].includes(method)) {
      const { idempotencyKey } = this.context;
      headers['idempotency-key'] = page === 1 ? idempotencyKey : `${idempotencyKey}:${page}`;
    }
    for (const [name, value] of Object.entries(own)) if (value !== null) headers[name.toLowerCase()] = String(value);
    Object.assign(headers, credentials.headers);
    for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
    return headers;
  }
}

function checkHeader(name: string, value: string): void {
  if (RESERVED.has(name) || name.startsWith('proxy-'))
    throw new ToolError('invalid_header', `The header ${name} cannot be set.`, false);
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (cause) {
    // Not its value: it may be a secret.
    throw new ToolError(
      'invalid_header',
      `The header ${cutText(name, 100)} has characters that cannot be sent.`,
      false,
      {
        cause,
      },
    );
  }
}
