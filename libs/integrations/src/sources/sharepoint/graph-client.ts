import type { GuardedFetch, GuardedRequest, GuardedResponse } from '../../guarded-fetch/guarded-fetch.js';
import { toSourceError } from '../egress-failure.js';
import { parseRetryAfter, SourceError } from '../source-error.js';
import { readToken } from './graph-answers.js';

export interface GraphApplication {
  tenantId: string;
  clientId: string;
  clientSecret: string;
  graphUrl: string;
  loginUrl: string;
}

/** A token is renewed so long before its end. */
const SPARE_MS = 60_000;
const MAX_JSON_BYTES = 20 * 1024 * 1024;

/** Microsoft Graph as an application sees it: client credentials, and what its statuses mean. */
export class GraphClient {
  private readonly base: string;
  private token: { value: string; until: number } | null = null;

  constructor(
    private readonly application: GraphApplication,
    private readonly http: GuardedFetch,
  ) {
    this.base = application.graphUrl.replace(/\/+$/, '');
  }

  /** @param path below the address of Graph, or a whole link that Graph itself gave. @throws SourceError */
  async json(path: string, request: GuardedRequest = {}): Promise<unknown> {
    const response = await this.send(path, { maxBytes: MAX_JSON_BYTES, ...request });
    try {
      return response.status === 204 ? null : await response.json();
    } catch (error) {
      throw toSourceError(error);
    }
  }

  /** The answer to a call that Graph accepted. @throws SourceError */
  async send(path: string, request: GuardedRequest): Promise<GuardedResponse> {
    const url = this.urlOf(path);
    const first = await this.attempt(url, request);
    if (first.status !== 401) return expectOk(first);
    // It may have been withdrawn before its time.
    first.body.destroy();
    this.token = null;
    return expectOk(await this.attempt(url, request));
  }

  private async attempt(url: string, request: GuardedRequest): Promise<GuardedResponse> {
    const authorization = `Bearer ${await this.accessToken(request.signal)}`;
    return this.call(url, { ...request, headers: { accept: 'application/json', ...request.headers, authorization } });
  }

  /** A link of the service elsewhere would get the token. */
  private urlOf(path: string): string {
    if (path.startsWith('/')) return this.base + path;
    if (path.startsWith(`${this.base}/`) && URL.parse(path)?.origin === new URL(this.base).origin) return path;
    throw new SourceError('cursor_expired', 'The list cannot be gone on with.');
  }

  private async accessToken(signal: AbortSignal | undefined): Promise<string> {
    if (this.token && this.token.until > Date.now()) return this.token.value;
    const { tenantId, clientId, clientSecret, loginUrl } = this.application;
    const form = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: `${new URL(this.base).origin}/.default`,
    };
    const url = `${loginUrl.replace(/\/+$/, '')}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
    const response = await this.call(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      maxBytes: MAX_JSON_BYTES,
      ...(signal ? { signal } : {}),
    });
    if ([400, 401, 403].includes(response.status)) {
      response.body.destroy();
      throw new SourceError('auth', 'Microsoft does not accept the credentials of the application.');
    }
    const { value, seconds } = readToken(await expectOk(response).json().catch(rethrow));
    this.token = { value, until: Date.now() + seconds * 1000 - SPARE_MS };
    return value;
  }

  private async call(url: string, request: GuardedRequest): Promise<GuardedResponse> {
    return this.http.request(url, request).catch(rethrow);
  }
}

function rethrow(error: unknown): never {
  throw toSourceError(error);
}

function expectOk(response: GuardedResponse): GuardedResponse {
  const { status } = response;
  if (status >= 200 && status < 300) return response;
  response.body.destroy();
  const retryAfterSeconds = parseRetryAfter(response.headers['retry-after']);
  if (status === 429 || (status === 503 && retryAfterSeconds !== null))
    throw new SourceError('throttled', 'Microsoft asks for patience.', { retryAfterSeconds });
  if (status === 401 || status === 403) throw new SourceError('auth', 'The application may not read this drive.');
  if (status === 404) throw new SourceError('not_found', 'It does not exist in SharePoint any more.');
  if (status === 410) throw new SourceError('cursor_expired', 'The list of changes has expired.');
  if (status >= 500) throw new SourceError('unavailable', 'Microsoft Graph is out of order.');
  throw new SourceError('refused', `Microsoft Graph refuses the request (${status}).`);
}
