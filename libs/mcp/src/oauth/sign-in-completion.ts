import { AuditLog } from '@app/audit';
import { InvalidRequestError } from '@app/common';
import { EgressError } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { validateAuthResponse } from 'oauth4webapi';
import { DataSource } from 'typeorm';
import { AuthorizationServers } from './authorization-servers.js';
import { ClientGoneError, OAuthClients } from './oauth-clients.js';
import { type ClaimedFlow, OAuthFlows } from './oauth-flows.js';
import { OAuthGrants } from './oauth-grants.js';
import { ProviderRefusedError } from './provider-errors.js';
import { TokenEndpoint, type Tokens } from './token-endpoint.js';

const EXCHANGE_MS = 15_000;

export interface SigningIn {
  userId: number;
  username: string;
}

/** What the provider's redirect carries, as the web app hands it on. */
export interface Returned {
  code: string;
  state: string;
  iss: string | null;
  /** At which address of ours it arrived, without what it carried; null where the web app does not tell. */
  redirectUri: string | null;
}

/** The sign-in came back in order, but ended without tokens. Its server is known, and shown with the error. */
export class SignInFailedError extends Error {
  constructor(
    readonly serverId: number,
    readonly code: 'issuer_mismatch' | 'code_rejected' | 'client_refused' | 'provider_unreachable' | 'server_changed',
    message: string,
  ) {
    super(message);
    this.name = 'SignInFailedError';
  }
}

const MISMATCH = 'The answer comes from another sign-in provider than the one that was asked. Start the sign-in again.';

const pathOf = ({ pathname }: URL) => pathname.replace(/\/+$/, '');

/** Web apps differ in how they write the last slash; what an answer carried is no part of the address. */
function isSameAddress(given: string, expected: string): boolean {
  const [one, other] = [URL.parse(given), URL.parse(expected)];
  if (!one || !other) return false;
  return one.origin === other.origin && pathOf(one) === pathOf(other);
}

/** The way back from a tool server's provider. */
@Injectable()
export class SignInCompletion {
  constructor(
    private readonly dataSource: DataSource,
    private readonly servers: AuthorizationServers,
    private readonly clients: OAuthClients,
    private readonly flows: OAuthFlows,
    private readonly grants: OAuthGrants,
    private readonly endpoint: TokenEndpoint,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Uses the state up, exchanges the code and keeps the tokens.
   * @returns the server's id
   * @throws InvalidRequestError `invalid_state`: unknown, used, expired, another user's, or the server was changed
   * @throws SignInFailedError
   */
  async complete(viewer: SigningIn, returned: Returned): Promise<number> {
    const flow = await this.flows.claim(viewer.userId, returned.state);
    if (!flow)
      throw new InvalidRequestError('The sign-in has expired, was used, or began elsewhere. Start it again.', {
        code: 'invalid_state',
      });
    const tokens = await this.exchange(flow, returned);
    await this.clients.noteAnswer(flow.identity);
    const isStored = await this.dataSource.transaction(async (tx) => {
      const stored = await this.grants.store(flow, tokens, tx);
      if (stored)
        await this.audit.record(
          {
            action: 'mcp_server.signed_in',
            actor: viewer,
            target: `mcp_server:${flow.serverId}`,
            details: { issuer: flow.issuer, scopes: tokens.scopes ?? flow.scopes },
          },
          tx,
        );
      return stored;
    });
    if (!isStored)
      throw new SignInFailedError(flow.serverId, 'server_changed', 'The server was changed meanwhile. Sign in again.');
    return flow.serverId;
  }

  private async exchange(flow: ClaimedFlow, { code, iss, redirectUri }: Returned): Promise<Tokens> {
    const failed = (code: SignInFailedError['code'], message: string) =>
      new SignInFailedError(flow.serverId, code, message);
    // Each issuer has its own (RFC 9700, section 4.4.2). A flow remembers the one that it was begun with.
    if (redirectUri !== null && !isSameAddress(redirectUri, flow.redirectUri))
      throw failed('issuer_mismatch', MISMATCH);
    try {
      const server = await this.servers.get(flow.issuer);
      const answer = new URLSearchParams({ code, state: flow.state, ...(iss === null ? {} : { iss }) });
      let validated: URLSearchParams;
      try {
        // What was recorded is compared, not what the metadata say by now (RFC 9207).
        const recorded = { ...server, issuer: flow.issuer };
        validated = validateAuthResponse(recorded, { client_id: flow.identity.clientId }, answer, flow.state);
      } catch {
        throw failed('issuer_mismatch', MISMATCH);
      }
      const client = await this.clients.open(flow.identity, server);
      return await this.endpoint.exchange(server, client, validated, flow, AbortSignal.timeout(EXCHANGE_MS));
    } catch (error) {
      if (error instanceof ClientGoneError)
        throw failed('client_refused', 'The application is no longer known. Start again.');
      if (error instanceof EgressError) throw failed('provider_unreachable', error.message);
      if (!(error instanceof ProviderRefusedError)) throw error;
      if (!error.isAboutClient) throw failed('code_rejected', `${error.message} Start the sign-in again.`);
      await this.clients.retire(flow.identity);
      throw failed('client_refused', `${error.message} Start the sign-in again.`);
    }
  }
}
