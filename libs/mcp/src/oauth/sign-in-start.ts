import { InvalidRequestError } from '@app/common';
import { EgressError } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { type AuthorizationServer, calculatePKCECodeChallenge } from 'oauth4webapi';
import { DataSource } from 'typeorm';
import { hostOf } from './authorization-servers.js';
import { type ClientIdentity, OAuthClients } from './oauth-clients.js';
import { OAuthDiscovery, type SignInOffer } from './oauth-discovery.js';
import { OAuthFlows } from './oauth-flows.js';
import { type OAuthGrant, OAuthGrants } from './oauth-grants.js';
import { OAuthSettings } from './oauth-settings.js';
import { ProviderRefusedError } from './provider-errors.js';
import { serverNotFound } from '../servers/stored-server.js';
import { unionOf, writeScopes } from './scopes.js';

const REGISTRATION_MS = 15_000;

export interface StartedSignIn {
  authUrl: string;
  state: string;
  scopes: string[];
  /** Host of the issuer. */
  provider: string;
}

/** The way to a tool server's provider: the authorization code flow with PKCE (OAuth 2.1). */
@Injectable()
export class SignInStart {
  constructor(
    private readonly dataSource: DataSource,
    private readonly discovery: OAuthDiscovery,
    private readonly clients: OAuthClients,
    private readonly flows: OAuthFlows,
    private readonly grants: OAuthGrants,
    private readonly settings: OAuthSettings,
  ) {}

  /**
   * Where the browser goes to sign in.
   * @param chosen the scopes to ask for; without them what was granted, what the server asked for since, and what it
   *   asks of everybody
   * @param confirmedHost the host to which the user agrees that tokens of a preregistered provider go
   * @throws NotFoundError for a server of somebody else
   * @throws InvalidRequestError `sign_in_not_selected`, `sign_in_not_supported`, `discovery_failed`, `needs_admin`,
   *   `confirmation_required`, `invalid_scope`, `registration_refused`
   */
  async start(
    userId: number,
    serverId: number,
    { scopes: chosen, confirmedHost }: { scopes: readonly string[] | null; confirmedHost: string | null },
  ): Promise<StartedSignIn> {
    const { url, auth_type, version } = await this.getServer(userId, serverId);
    if (auth_type !== 'oauth') throw refuse('sign_in_not_selected', 'The auth_type of this server is not oauth.');
    const offer = await this.getOffer(url);
    if (offer.confirmHost !== null && offer.confirmHost !== confirmedHost?.trim().toLowerCase())
      throw mustConfirm(offer.confirmHost, offer.server.issuer);
    const grant = await this.grants.findOf({ id: serverId, userId });
    const scopes = chosenScopes(offer, grant?.issuer === offer.server.issuer ? grant : null, chosen);
    const identity = await this.getClient(offer, scopes);
    const { issuer } = offer.server;
    const redirectUri = this.settings.redirectUriOf(issuer);
    const flow = { serverId, serverVersion: version, issuer, identity, redirectUri, resource: offer.resource, scopes };
    const { state, codeVerifier } = await this.flows.begin(flow);
    const authUrl = authorizationUrl(offer.server, {
      response_type: 'code',
      client_id: identity.clientId,
      redirect_uri: redirectUri,
      state,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      resource: offer.resource,
      ...(scopes.length > 0 ? { scope: writeScopes(scopes) } : {}),
      // Without it OpenID providers ignore the wish for a refresh token.
      ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
    });
    return { authUrl, state, scopes, provider: hostOf(issuer) };
  }

  private async getServer(userId: number, serverId: number) {
    const [row] = await this.dataSource.query<{ url: string; auth_type: string; version: number }[]>(
      'SELECT url, auth_type, version FROM mcp_servers WHERE id = $1 AND user_id = $2',
      [serverId, userId],
    );
    if (!row) throw serverNotFound();
    return row;
  }

  private async getOffer(url: string): Promise<SignInOffer> {
    try {
      const { offer } = await this.discovery.find(url);
      if (offer) return offer;
    } catch (error) {
      if (error instanceof EgressError) throw refuse('discovery_failed', error.message);
      throw error;
    }
    throw refuse('sign_in_not_supported', 'The server does not support sign-in.');
  }

  private async getClient(offer: SignInOffer, scopes: readonly string[]): Promise<ClientIdentity> {
    try {
      const identity = await this.clients.acquire(offer.server, scopes, AbortSignal.timeout(REGISTRATION_MS));
      if (identity) return identity;
    } catch (error) {
      if (error instanceof ProviderRefusedError || error instanceof EgressError)
        throw refuse('registration_refused', error.message);
      throw error;
    }
    throw refuse(
      'needs_admin',
      'The sign-in provider demands that an administrator of this deployment registers it there.',
    );
  }
}

function refuse(code: string, message: string): InvalidRequestError {
  return new InvalidRequestError(message, { code });
}

/** Else any server could have tokens fetched that the provider gives to this deployment without asking. */
function mustConfirm(host: string, issuer: string): InvalidRequestError {
  const provider = hostOf(issuer);
  return new InvalidRequestError(
    `The token of ${provider} would go to ${host}, a host for which no administrator registered it. Confirm that you trust it.`,
    { code: 'confirmation_required', extra: { confirm_host: host, provider, issuer } },
  );
}

function chosenScopes(offer: SignInOffer, grant: OAuthGrant | null, chosen: readonly string[] | null): string[] {
  const known = unionOf(offer.scopes, grant?.scopes ?? [], grant?.requiredScopes ?? []);
  if (chosen === null) return unionOf(grant?.scopes ?? [], grant?.requiredScopes ?? [], offer.defaultScopes);
  const unknown = chosen.filter((scope) => !known.includes(scope));
  if (unknown.length > 0) throw refuse('invalid_scope', 'The server does not offer all of these scopes.');
  return unionOf(chosen);
}

function authorizationUrl(server: AuthorizationServer, parameters: Record<string, string>): string {
  // Its address was checked with the metadata: https, or a host that the deployment lists.
  const url = new URL(server.authorization_endpoint ?? '');
  url.hash = '';
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
