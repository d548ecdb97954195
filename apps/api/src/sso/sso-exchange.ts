import {
  FLOW_SECONDS,
  NO_ISSUER,
  OidcClient,
  parseDomain,
  type ProvenIdentity,
  type SsoClient,
  SsoClients,
  SsoFlows,
  type SsoProvider,
  SsoSettings,
} from '@app/auth';
import { InvalidRequestError, NotFoundError, UnavailableError } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { FlowCookie } from './flow-cookie.js';

/** What the provider's redirect carries, as the web app hands it on. */
export interface Returned {
  code?: string | null;
  state?: string | null;
  iss?: string | null;
  error?: string | null;
}

export interface ExchangeResult {
  client: SsoClient;
  identity: ProvenIdentity;
  idToken: string;
  redirectPath: string | null;
}

const notConfigured = (what: string) =>
  new UnavailableError(`Single sign-on is not configured for ${what}.`, { code: 'sso_not_configured' });

function demandIssuer(client: SsoClient | typeof NO_ISSUER): SsoClient {
  if (client === NO_ISSUER) throw notConfigured('organizations');
  return client;
}

/** The way to a provider and back: what both providers, sign-in and linking have in common. */
@Injectable()
export class SsoExchange {
  constructor(
    private readonly clients: SsoClients,
    private readonly flows: SsoFlows,
    private readonly cookie: FlowCookie,
    private readonly oidc: OidcClient,
    private readonly settings: SsoSettings,
  ) {}

  /**
   * @param text a domain or a whole e-mail address
   * @throws InvalidRequestError `invalid_domain`, `invalid_redirect_path`
   * @throws NotFoundError with `need_credentials` when nobody set the organisation up
   */
  async beginForDomain(text: string, redirectPath: string | null, request: Request, response: Response) {
    const domain = parseDomain(text);
    if (!domain) throw new InvalidRequestError('Enter a valid domain or e-mail address.', { code: 'invalid_domain' });
    const client = await this.clients.findByDomain(domain);
    if (!client)
      throw new NotFoundError('This organization has not set up single sign-on.', {
        code: 'credentials_not_found',
        extra: { need_credentials: true, domain },
      });
    const hint: Record<string, string> = text.includes('@') ? { login_hint: text.trim() } : {};
    return this.begin(demandIssuer(client), redirectPath, hint, request, response);
  }

  /** @throws UnavailableError `sso_not_configured` */
  beginForPlatform(redirectPath: string | null, request: Request, response: Response) {
    const client = this.clients.findPlatform();
    if (!client) throw notConfigured('this deployment');
    return this.begin(client, redirectPath, { prompt: 'select_account' }, request, response);
  }

  /**
   * Uses the state up, then exchanges the code.
   * @throws InvalidRequestError `missing_code`, `invalid_state`, `exchange_rejected`, `invalid_id_token`
   * @throws NotFoundError, UnavailableError, BadGatewayError when there is no provider to ask, or it does not answer
   */
  async complete(
    provider: SsoProvider,
    { code, state, iss, error }: Returned,
    request: Request,
  ): Promise<ExchangeResult> {
    if (!code) throw new InvalidRequestError(whyNoCode(error ?? ''), { code: 'missing_code' });
    if (!state) throw new InvalidRequestError('The state is missing.', { code: 'invalid_state' });
    const { checks, organizationId, redirectPath } = await this.flows.claim(provider, state, this.cookie.read(request));
    const client = await this.clientOf(provider, organizationId);
    const { identity, idToken } = await this.oidc.exchange(client, checks, { code, ...(iss ? { iss } : {}) });
    return { client, identity, idToken, redirectPath };
  }

  private async begin(
    client: SsoClient,
    redirectPath: string | null,
    extra: Record<string, string>,
    request: Request,
    response: Response,
  ): Promise<{ url: string; state: string }> {
    if (redirectPath !== null && !this.settings.allowsRedirect(redirectPath))
      throw new InvalidRequestError('A sign-in cannot go on at this path.', { code: 'invalid_redirect_path' });
    const checks = this.flows.newChecks();
    const url = await this.oidc.authorizationUrl(client, checks, extra);
    const browser = this.cookie.read(request) ?? this.flows.newBrowser();
    await this.flows.begin(client, checks, redirectPath, browser);
    this.cookie.set(response, browser, FLOW_SECONDS);
    return { url, state: checks.state };
  }

  private async clientOf(provider: SsoProvider, organizationId: number | null): Promise<SsoClient> {
    if (provider === 'sso_platform') {
      const client = this.clients.findPlatform();
      if (!client) throw notConfigured('this deployment');
      return client;
    }
    const client = organizationId === null ? null : await this.clients.findByOrganization(organizationId);
    if (!client)
      throw new NotFoundError('This organization has no credentials for single sign-on.', {
        code: 'credentials_not_found',
      });
    return demandIssuer(client);
  }
}

/** The provider's words for it are repeated where they are one word. */
function whyNoCode(error: string): string {
  if (error === 'access_denied')
    return 'The sign-in was cancelled, or the identity provider refused it. Please try again.';
  if (/^[\w.-]{1,60}$/.test(error)) return `The identity provider ended the sign-in (${error}).`;
  return 'The code is missing.';
}
