import { cutText, newId } from '@app/common';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hostOf } from './authorization-servers.js';
import type { ClientIdentity } from './oauth-clients.js';
import type { ClaimedFlow } from './oauth-flows.js';
import { parseScopes, unionOf, writeScopes } from './scopes.js';
import type { Tokens } from './token-endpoint.js';

export interface OAuthGrant {
  id: string;
  /** Null: void, but its provider may not know that yet. */
  serverId: number | null;
  issuer: string;
  identity: ClientIdentity;
  /** The only origin to which the access token may go. */
  origin: string;
  resource: string;
  scopes: string[];
  requiredScopes: string[];
  accessToken: string | null;
  refreshToken: string | null;
  /** Rises with each change of the tokens. */
  generation: number;
  /** The access token is no longer good. */
  isExpired: boolean;
  /** It should be renewed before it is used. */
  isStale: boolean;
  /** It is only seconds old. */
  isFresh: boolean;
  /** Some process renews it. */
  isLeased: boolean;
  /** The provider could not be reached a moment ago. */
  isResting: boolean;
}

/** The right to renew the tokens of one generation. */
export interface Lease {
  id: string;
  generation: number;
  /** As Postgres writes it: no two leases end at the same microsecond. */
  until: string;
}

interface Row {
  id: string;
  server_id: number | null;
  issuer: string;
  client_source: ClientIdentity['source'];
  client_id: string;
  registration_id: string | null;
  origin: string;
  resource: string;
  scopes: string;
  required_scopes: string;
  access_token_sealed: Buffer | null;
  refresh_token_sealed: Buffer | null;
  generation: number;
  is_expired: boolean;
  is_stale: boolean;
  is_fresh: boolean;
  is_leased: boolean;
  is_resting: boolean;
}

const FRESH_SECONDS = 10;
/** Longer than a refresh may take: its owner is lost after that. */
const LEASE_SECONDS = 20;
const REST_SECONDS = 5;
const MAX_ERROR = 500;

export const GRANT_COLUMNS = `g.id, g.server_id, g.issuer, g.client_source, g.client_id, g.registration_id, g.origin,
  g.resource, g.scopes, g.required_scopes, g.access_token_sealed, g.refresh_token_sealed, g.generation,
  coalesce(g.expires_at <= now(), false) AS is_expired, coalesce(g.refresh_at <= now(), false) AS is_stale,
  g.obtained_at > now() - make_interval(secs => ${FRESH_SECONDS}) AS is_fresh,
  coalesce(g.lease_until > now(), false) AS is_leased, coalesce(g.retry_at > now(), false) AS is_resting`;

const placeOf = (column: 'access_token_sealed' | 'refresh_token_sealed', id: string) => ({
  table: 'mcp_oauth_grants',
  column,
  row: id,
});

/** A token that lives a minute is renewed 12 s before its end; one that lives an hour, a minute before. */
const marginOf = (lifetime: number) => Math.min(60, lifetime / 5);

/** What users granted, and the tokens for it, sealed. */
@Injectable()
export class OAuthGrants {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
  ) {}

  /** Of a stored server that signs in with OAuth. */
  async findOf({ id, userId }: { id: number; userId: number }): Promise<OAuthGrant | null> {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT ${GRANT_COLUMNS} FROM mcp_oauth_grants g JOIN mcp_servers s ON s.id = g.server_id
       WHERE s.id = $1 AND s.user_id = $2 AND s.auth_type = 'oauth'`,
      [id, userId],
    );
    return row ? this.open(row) : null;
  }

  async find(id: string): Promise<OAuthGrant | null> {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT ${GRANT_COLUMNS} FROM mcp_oauth_grants g WHERE g.id = $1`,
      [id],
    );
    return row ? this.open(row) : null;
  }

  open(row: Row): OAuthGrant {
    const { access_token_sealed: access, refresh_token_sealed: refresh } = row;
    return {
      id: row.id,
      serverId: row.server_id,
      issuer: row.issuer,
      identity: { source: row.client_source, clientId: row.client_id, registrationId: row.registration_id },
      origin: row.origin,
      resource: row.resource,
      scopes: parseScopes(row.scopes),
      requiredScopes: parseScopes(row.required_scopes),
      accessToken: access && this.sealing.openText(access, placeOf('access_token_sealed', row.id)),
      refreshToken: refresh && this.sealing.openText(refresh, placeOf('refresh_token_sealed', row.id)),
      generation: row.generation,
      isExpired: row.is_expired,
      isStale: row.is_stale,
      isFresh: row.is_fresh,
      isLeased: row.is_leased,
      isResting: row.is_resting,
    };
  }

  /**
   * Puts a new grant in the place of the server's former one. A former one of the same provider is forgotten, not
   * revoked: to many providers both are one, and revoking the former would take the new one along.
   * @returns false when the server was changed or deleted meanwhile; then the grant is kept only to be revoked
   */
  async store(flow: ClaimedFlow, tokens: Tokens, tx: EntityManager): Promise<boolean> {
    const scopes = writeScopes(tokens.scopes ?? flow.scopes);
    const [[server]] = await tx.query<[{ id: number }[], number]>(
      `UPDATE mcp_servers SET granted_scopes = $3, oauth_provider = $4,
         token_expires_at = now() + make_interval(secs => $5), updated_at = now()
       WHERE id = $1 AND version = $2 AND auth_type = 'oauth' RETURNING id`,
      [flow.serverId, flow.serverVersion, scopes, hostOf(flow.issuer), tokens.lifetime],
    );
    const at = server?.id ?? null;
    await tx.query('DELETE FROM mcp_oauth_grants WHERE server_id = $1 AND issuer = $2', [at, flow.issuer]);
    await tx.query('UPDATE mcp_oauth_grants SET server_id = NULL WHERE server_id = $1', [at]);
    const id = newId();
    const { accessToken, refreshToken, lifetime } = tokens;
    await tx.query(
      `INSERT INTO mcp_oauth_grants (id, server_id, issuer, client_source, client_id, registration_id, origin, resource,
         scopes, access_token_sealed, refresh_token_sealed, expires_at, refresh_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
         now() + make_interval(secs => $12), now() + make_interval(secs => $13))`,
      [
        id,
        at,
        flow.issuer,
        flow.identity.source,
        flow.identity.clientId,
        flow.identity.registrationId,
        new URL(flow.serverUrl).origin,
        flow.resource,
        scopes,
        this.sealing.seal(accessToken, placeOf('access_token_sealed', id)),
        refreshToken && this.sealing.seal(refreshToken, placeOf('refresh_token_sealed', id)),
        lifetime,
        lifetime === null ? null : lifetime - marginOf(lifetime),
      ],
    );
    return server !== undefined;
  }

  /**
   * Makes this process the only one that renews these tokens, for a while.
   * @returns what `rest` and `lose` take as proof of it; null when another process was faster
   */
  async claimRefresh({ id, generation }: OAuthGrant): Promise<Lease | null> {
    const [[row]] = await this.dataSource.query<[Lease[], number]>(
      `UPDATE mcp_oauth_grants SET lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
       WHERE id = $1 AND generation = $2 AND server_id IS NOT NULL AND (lease_until IS NULL OR lease_until <= now())
       RETURNING id, generation, lease_until::text AS until`,
      [id, generation],
    );
    return row ?? null;
  }

  /**
   * Puts the tokens of a refresh in the place of those that it used up. The generation is the fence, not the lease:
   * whoever was given successors first writes them, however late.
   * @returns false when the grant has other tokens by now, or is gone
   */
  async renew({ id, generation, scopes }: OAuthGrant, tokens: Tokens): Promise<boolean> {
    const { accessToken, refreshToken, lifetime } = tokens;
    const granted = writeScopes(tokens.scopes ?? scopes);
    return this.dataSource.transaction(async (tx) => {
      const [[row]] = await tx.query<[{ server_id: number | null }[], number]>(
        `UPDATE mcp_oauth_grants SET access_token_sealed = $3,
           refresh_token_sealed = coalesce($4, refresh_token_sealed), scopes = $5, generation = generation + 1,
           obtained_at = now(), expires_at = now() + make_interval(secs => $6),
           refresh_at = now() + make_interval(secs => $7), lease_until = NULL, retry_at = NULL
         WHERE id = $1 AND generation = $2 RETURNING server_id`,
        [
          id,
          generation,
          this.sealing.seal(accessToken, placeOf('access_token_sealed', id)),
          refreshToken && this.sealing.seal(refreshToken, placeOf('refresh_token_sealed', id)),
          granted,
          lifetime,
          lifetime === null ? null : lifetime - marginOf(lifetime),
        ],
      );
      if (!row) return false;
      await tx.query(
        `UPDATE mcp_servers SET granted_scopes = $2, token_expires_at = now() + make_interval(secs => $3) WHERE id = $1`,
        [row.server_id, granted, lifetime],
      );
      return true;
    });
  }

  /** The provider could not be asked: others may try, in a moment. */
  async rest({ id, generation, until }: Lease): Promise<void> {
    await this.dataSource.query(
      `UPDATE mcp_oauth_grants SET lease_until = NULL, retry_at = now() + make_interval(secs => ${REST_SECONDS})
       WHERE id = $1 AND generation = $2 AND lease_until = $3`,
      [id, generation, until],
    );
  }

  /**
   * The provider does not honour the grant any more. What was granted stays known for the next sign-in.
   * @param reason for the user
   * @returns false when another process has taken over
   */
  async lose({ id, generation, until }: Lease, reason: string, tx: EntityManager): Promise<boolean> {
    const [[row]] = await tx.query<[{ server_id: number | null }[], number]>(
      `UPDATE mcp_oauth_grants SET access_token_sealed = NULL, refresh_token_sealed = NULL, lease_until = NULL,
         generation = generation + 1, expires_at = NULL, refresh_at = NULL
       WHERE id = $1 AND generation = $2 AND lease_until = $3 RETURNING server_id`,
      [id, generation, until],
    );
    if (row?.server_id) await this.demandSignIn(row.server_id, reason, tx);
    return row !== undefined;
  }

  /** @param reason for the user */
  async demandSignIn(serverId: number, reason: string, tx = this.dataSource.manager): Promise<void> {
    await tx.query(
      `UPDATE mcp_servers SET status = 'needs_reauth', last_error = $2, updated_at = now()
       WHERE id = $1 AND auth_type = 'oauth'`,
      [serverId, cutText(reason, MAX_ERROR)],
    );
  }

  /** What the server asked for goes into the next sign-in, beside what was granted. */
  async requireScopes(grant: OAuthGrant, scopes: readonly string[]): Promise<void> {
    await this.dataSource.query('UPDATE mcp_oauth_grants SET required_scopes = $2 WHERE id = $1', [
      grant.id,
      writeScopes(unionOf(grant.requiredScopes, scopes)),
    ]);
  }
}
