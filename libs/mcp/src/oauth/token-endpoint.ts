import { EgressError } from '@app/integrations';
import {
  allowInsecureRequests,
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  customFetch,
  dynamicClientRegistrationRequest,
  processAuthorizationCodeResponse,
  processDynamicClientRegistrationResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { OAuthHttp, parseObject, toJsonResponse } from './oauth-http.js';
import { BUSY, toProviderError } from './provider-errors.js';
import { parseScopes } from './scopes.js';

/** Who asks, and how it proves that. */
export interface AuthenticatedClient {
  client: Client;
  auth: ClientAuth;
}

export interface Tokens {
  accessToken: string;
  /** Null: the provider gave none, which at a refresh means that the present one stays. */
  refreshToken: string | null;
  /** Seconds; null where the provider does not tell. */
  lifetime: number | null;
  /** Null: those that were asked for. */
  scopes: string[] | null;
}

type Sent = { method?: string; body?: unknown; headers?: unknown; signal?: AbortSignal | undefined };
type Amend = (status: number, body: Record<string, unknown>) => number;

/** Longer ones overflow what a timestamp may be. */
const MAX_LIFETIME = 10 * 365 * 86_400;

/** ID tokens say nothing that is needed here and are left alone; some providers tell failures under 200, or write null for what they do not give. */
const amendTokens: Amend = (status, body) => {
  delete body['id_token'];
  dropNulls(body);
  if (body['refresh_token'] === '') delete body['refresh_token'];
  if (body['access_token'] !== undefined) body['token_type'] ??= 'Bearer';
  return status === 200 && body['access_token'] === undefined && body['error'] !== undefined ? 400 : status;
};

const amendRegistration: Amend = (status, body) => {
  dropNulls(body);
  if (body['client_secret'] !== undefined) body['client_secret_expires_at'] ??= 0;
  return status === 200 ? 201 : status;
};

function dropNulls(body: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(body)) if (value === null) delete body[name];
}

/** What a header cannot carry is no token. */
const TOKEN = /^[!-~]+$/;

const asIs: Amend = (status) => (status === 204 ? 200 : status);

/** What authorization servers are asked by POST. Nothing here follows redirects: what is sent is secret. */
export class TokenEndpoint {
  constructor(private readonly http: OAuthHttp) {}

  /**
   * @param answer what `validateAuthResponse` made of the redirect's parameters
   * @throws ProviderRefusedError, EgressError
   */
  async exchange(
    server: AuthorizationServer,
    { client, auth }: AuthenticatedClient,
    answer: URLSearchParams,
    { redirectUri, codeVerifier, resource }: { redirectUri: string; codeVerifier: string; resource: string },
    signal: AbortSignal,
  ): Promise<Tokens> {
    try {
      const options = { ...this.options(amendTokens, signal), additionalParameters: { resource } };
      const request = authorizationCodeGrantRequest(server, client, auth, answer, redirectUri, codeVerifier, options);
      return toTokens(await processAuthorizationCodeResponse(server, client, await request));
    } catch (error) {
      throw toProviderError(error);
    }
  }

  /** @throws ProviderRefusedError, EgressError */
  async refresh(
    server: AuthorizationServer,
    { client, auth }: AuthenticatedClient,
    { refreshToken, resource }: { refreshToken: string; resource: string },
    signal: AbortSignal,
  ): Promise<Tokens> {
    try {
      const options = { ...this.options(amendTokens, signal), additionalParameters: { resource } };
      const response = await refreshTokenGrantRequest(server, client, auth, refreshToken, options);
      return toTokens(await processRefreshTokenResponse(server, client, response));
    } catch (error) {
      throw toProviderError(error);
    }
  }

  /** @throws ProviderRefusedError, EgressError */
  async revoke(
    server: AuthorizationServer,
    { client, auth }: AuthenticatedClient,
    token: string,
    kind: 'access_token' | 'refresh_token',
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const options = { ...this.options(asIs, signal), additionalParameters: { token_type_hint: kind } };
      await processRevocationResponse(await revocationRequest(server, client, auth, token, options));
    } catch (error) {
      throw toProviderError(error);
    }
  }

  /** @throws ProviderRefusedError, EgressError */
  async register(server: AuthorizationServer, metadata: Partial<Client>, signal: AbortSignal): Promise<Client> {
    try {
      const response = await dynamicClientRegistrationRequest(
        server,
        metadata,
        this.options(amendRegistration, signal),
      );
      return await processDynamicClientRegistrationResponse(response);
    } catch (error) {
      throw toProviderError(error);
    }
  }

  private options(amend: Amend, signal: AbortSignal) {
    const send = async (url: string, { body, headers, signal: given }: Sent): Promise<Response> => {
      const { status, text } = await this.http.call(url, {
        method: 'POST',
        headers: headers as Record<string, string>,
        body: String(body),
        signal: given ?? signal,
      });
      const told = parseObject(text);
      // What stands before a provider has no words of OAuth for it.
      if ((status >= 500 || status === 429) && typeof told?.['error'] !== 'string')
        throw new EgressError('unreachable', BUSY);
      return told ? toJsonResponse(amend(status, told), JSON.stringify(told)) : toJsonResponse(asIs(status, {}), text);
    };
    // The guard decides who may be called without TLS, not the library.
    return { signal, [customFetch]: send, [allowInsecureRequests]: true };
  }
}

function toTokens(answer: TokenEndpointResponse): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken = null, expires_in: lifetime, scope } = answer;
  if (answer.token_type !== 'bearer')
    throw new EgressError('protocol', 'The sign-in provider gives tokens of a kind that is not supported.');
  if (!TOKEN.test(accessToken))
    throw new EgressError('protocol', 'The sign-in provider gives a token that cannot be used.');
  // Scopes are kept in clear.
  const isClean = (one: string) => !one.includes(accessToken) && !(refreshToken && one.includes(refreshToken));
  return {
    accessToken,
    refreshToken,
    lifetime: lifetime === undefined ? null : Math.min(Math.floor(lifetime), MAX_LIFETIME),
    scopes: scope === undefined ? null : parseScopes(scope).filter(isClean),
  };
}
