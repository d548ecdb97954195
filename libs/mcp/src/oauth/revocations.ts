import { setTimeout as sleep } from 'node:timers/promises';
import { AuditLog } from '@app/audit';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuthorizationServers } from './authorization-servers.js';
import { ClientGoneError, OAuthClients } from './oauth-clients.js';
import { GRANT_COLUMNS, type OAuthGrant, OAuthGrants } from './oauth-grants.js';
import { ProviderRefusedError } from './provider-errors.js';
import { TokenEndpoint } from './token-endpoint.js';

/** So long whoever deletes a server waits; then the maintenance goes on with it. */
const WAIT_MS = 9000;
const REVOKE_MS = 8000;
/** After 1, 2, 4 ... 512 minutes: some 17 hours in all. */
const MAX_ATTEMPTS = 11;

type Row = Parameters<OAuthGrants['open']>[0] & { revoke_attempts: number };

/**
 * Tells providers that a grant is over (RFC 7009). A grant is void here from the moment it belongs to no server; its
 * row, with the tokens sealed, is the work that is left. It goes when the provider has answered, or after a day.
 */
@Injectable()
export class Revocations {
  private readonly logger = new Logger(Revocations.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly grants: OAuthGrants,
    private readonly servers: AuthorizationServers,
    private readonly clients: OAuthClients,
    private readonly endpoint: TokenEndpoint,
    private readonly audit: AuditLog,
  ) {}

  /** Ends what a server's user granted. Answers within ten seconds, whatever the provider does. */
  async revoke({ id, userId }: { id: number; userId: number }): Promise<void> {
    const grantId = await this.detach(id, userId);
    if (!grantId) return;
    const waited = new AbortController();
    const attempt = this.attempt(grantId).catch((error: unknown) => this.logger.warn(String(error)));
    await Promise.race([attempt, sleep(WAIT_MS, undefined, { signal: waited.signal }).catch(() => undefined)]);
    waited.abort();
  }

  /** Works off one grant that is due. @returns false when there is none */
  async revokeNext(): Promise<boolean> {
    return this.attempt(null);
  }

  private detach(serverId: number, userId: number): Promise<string | null> {
    return this.dataSource.transaction(async (tx) => {
      await tx.query('DELETE FROM mcp_oauth_flows WHERE server_id = $1', [serverId]);
      await tx.query(
        `UPDATE mcp_servers SET granted_scopes = '', token_expires_at = NULL, oauth_provider = NULL
         WHERE id = $1 AND user_id = $2`,
        [serverId, userId],
      );
      const [[grant]] = await tx.query<[{ id: string; issuer: string }[], number]>(
        `UPDATE mcp_oauth_grants g SET server_id = NULL FROM mcp_servers s
         WHERE g.server_id = $1 AND s.id = g.server_id AND s.user_id = $2 RETURNING g.id, g.issuer`,
        [serverId, userId],
      );
      if (!grant) return null;
      await this.audit.record(
        {
          action: 'mcp_server.sign_in_ended',
          actor: null,
          subjectId: userId,
          target: `mcp_server:${serverId}`,
          details: { issuer: grant.issuer, reason: 'disconnected' },
        },
        tx,
      );
      return grant.id;
    });
  }

  private async attempt(grantId: string | null): Promise<boolean> {
    // A refresh under way brings other tokens: those are the ones to revoke.
    const [[row]] = await this.dataSource.query<[Row[], number]>(
      `UPDATE mcp_oauth_grants g SET revoke_attempts = g.revoke_attempts + 1,
         revoke_at = now() + make_interval(mins => least(power(2, g.revoke_attempts), 512)::int)
       WHERE g.id = (
         SELECT id FROM mcp_oauth_grants
         WHERE server_id IS NULL AND ($1::uuid IS NULL OR id = $1) AND coalesce(revoke_at <= now(), true)
           AND coalesce(lease_until <= now(), true)
         ORDER BY revoke_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING ${GRANT_COLUMNS}, g.revoke_attempts`,
      [grantId],
    );
    if (!row) return false;
    const grant = this.grants.open(row);
    const outcome = await this.ask(grant);
    if (outcome !== 'later' || row.revoke_attempts >= MAX_ATTEMPTS) await this.forget(grant, outcome);
    return true;
  }

  private async ask(grant: OAuthGrant): Promise<'revoked' | 'impossible' | 'later'> {
    try {
      const server = await this.servers.get(grant.issuer);
      if (!server.revocation_endpoint) return 'impossible';
      const client = await this.clients.open(grant.identity, server);
      const signal = AbortSignal.timeout(REVOKE_MS);
      if (grant.refreshToken) await this.endpoint.revoke(server, client, grant.refreshToken, 'refresh_token', signal);
      if (grant.accessToken && !grant.isExpired)
        await this.endpoint.revoke(server, client, grant.accessToken, 'access_token', signal);
      return 'revoked';
    } catch (error) {
      if (error instanceof ProviderRefusedError && !error.isTemporary) return 'impossible';
      if (error instanceof ClientGoneError) return 'impossible';
      this.logger.warn(`${grant.issuer} cannot be told of a revocation: ${(error as Error).message}`);
      return 'later';
    }
  }

  private async forget({ id, issuer }: OAuthGrant, outcome: 'revoked' | 'impossible' | 'later'): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await tx.query('DELETE FROM mcp_oauth_grants WHERE id = $1 AND server_id IS NULL', [id]);
      await this.audit.record(
        {
          action: 'mcp_server.token_revoked',
          outcome: outcome === 'revoked' ? 'success' : 'failure',
          actor: null,
          target: `mcp_oauth_grant:${id}`,
          details: { issuer },
        },
        tx,
      );
    });
  }
}
