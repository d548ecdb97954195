import { setTimeout as sleep } from 'node:timers/promises';
import { AuditLog } from '@app/audit';
import { EgressError } from '@app/integrations';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SignInNeededError } from '../client/authorization.js';
import { AuthorizationServers } from './authorization-servers.js';
import { ClientGoneError, OAuthClients } from './oauth-clients.js';
import { type Lease, type OAuthGrant, OAuthGrants } from './oauth-grants.js';
import { BUSY, ProviderRefusedError } from './provider-errors.js';
import { TokenEndpoint, type Tokens } from './token-endpoint.js';

const REFRESH_MS = 10_000;
/** Longer than a lease: whoever waits for a lost process takes over from it. */
const WAIT_MS = 25_000;
const LOOK_MS = 60;
const WRITE_ATTEMPTS = 8;

const LOST = 'The sign-in is no longer valid. Sign in again.';
const NOT_WELCOME = 'The sign-in provider refuses this deployment. Tell its administrator.';

/**
 * Renews tokens once, however many ask in however many processes: a provider that rotates refresh tokens takes the
 * second use of one for theft and ends the grant. Within a process all wait for one promise; between processes a lease
 * on the row decides, and the others wait for the generation to rise. No database connection is held meanwhile.
 */
@Injectable()
export class TokenRefresh implements BeforeApplicationShutdown {
  private readonly logger = new Logger(TokenRefresh.name);
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly grants: OAuthGrants,
    private readonly servers: AuthorizationServers,
    private readonly clients: OAuthClients,
    private readonly endpoint: TokenEndpoint,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Returns once the grant has other tokens than these. A caller who goes away ends nothing: an answer that nobody
   * takes would be a lost grant.
   * @throws SignInNeededError when the provider does not honour the grant any more
   * @throws EgressError when it cannot be asked now
   */
  renew({ id, generation }: OAuthGrant): Promise<void> {
    const key = `${id}:${generation}`;
    const present = this.underWay.get(key);
    if (present) return present;
    const work = this.renewOnce(id, generation).finally(() => this.underWay.delete(key));
    this.underWay.set(key, work);
    return work;
  }

  /** A refresh whose answer nobody writes down is a lost grant. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.underWay.values());
  }

  private async renewOnce(id: string, generation: number): Promise<void> {
    const deadline = Date.now() + WAIT_MS;
    while (Date.now() < deadline) {
      const grant = await this.grants.find(id);
      if (!grant || grant.serverId === null) throw new SignInNeededError();
      if (grant.generation !== generation) return;
      if (grant.refreshToken === null) throw new SignInNeededError(LOST);
      if (grant.isResting) throw new EgressError('unreachable', 'The sign-in provider cannot be reached.');
      if (grant.isLeased) await sleep(LOOK_MS * (1 + Math.random()));
      else if (await this.tryRefresh(grant, grant.refreshToken)) return;
    }
    throw new EgressError('timeout', 'The sign-in provider did not answer in time.');
  }

  /** @returns false when another process was faster */
  private async tryRefresh(grant: OAuthGrant, refreshToken: string): Promise<boolean> {
    const server = await this.servers.get(grant.issuer);
    const client = await this.clients.open(grant.identity, server).catch((error: unknown) => {
      // No refresh can succeed, but what the user granted may serve again when the application is back.
      throw error instanceof ClientGoneError ? new EgressError('protocol', NOT_WELCOME) : error;
    });
    const lease = await this.grants.claimRefresh(grant);
    if (!lease) return false;
    let tokens: Tokens;
    try {
      const signal = AbortSignal.timeout(REFRESH_MS);
      tokens = await this.endpoint.refresh(server, client, { refreshToken, resource: grant.resource }, signal);
    } catch (error) {
      await this.fail(grant, lease, error);
      return false;
    }
    await this.write(grant, tokens);
    return true;
  }

  /** The only copy of the successors is here: a database that is away for a moment must not lose them. */
  private async write(grant: OAuthGrant, tokens: Tokens): Promise<void> {
    for (let attempt = 1; ; attempt += 1)
      try {
        if (!(await this.grants.renew(grant, tokens)))
          this.logger.warn('Tokens came for a grant that has others by now');
        return;
      } catch (error) {
        if (attempt === WRITE_ATTEMPTS) throw error;
        await sleep(50 * 2 ** attempt);
      }
  }

  /** Throws what the failure means; returns when another process has taken over meanwhile. */
  private async fail(grant: OAuthGrant, lease: Lease, error: unknown): Promise<void> {
    if (!(error instanceof ProviderRefusedError) || error.isTemporary) {
      await this.grants.rest(lease);
      throw error instanceof ProviderRefusedError ? new EgressError('unreachable', BUSY) : error;
    }
    // What an administrator configured wrongly is no reason to forget what a user granted.
    if (error.reason !== 'invalid_grant' && grant.identity.source === 'preregistered') {
      await this.grants.rest(lease);
      this.logger.error(`${grant.issuer} refuses the application of MCP_OAUTH_CLIENTS: ${error.reason}`);
      throw new EgressError('protocol', NOT_WELCOME);
    }
    if (error.isAboutClient) await this.clients.retire(grant.identity);
    if (await this.lose(grant, lease, error.reason)) throw new SignInNeededError(LOST);
  }

  private lose(grant: OAuthGrant, lease: Lease, reason: string): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      const lost = await this.grants.lose(lease, LOST, tx);
      if (lost)
        await this.audit.record(
          {
            action: 'mcp_server.sign_in_ended',
            outcome: 'failure',
            actor: null,
            target: `mcp_server:${grant.serverId}`,
            details: { issuer: grant.issuer, reason },
          },
          tx,
        );
      return lost;
    });
  }
}
