import { hash, randomBytes } from 'node:crypto';
import { newId } from '@app/common';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ClientIdentity } from './oauth-clients.js';
import { parseScopes, writeScopes } from './scopes.js';

const FLOW_SECONDS = 600;
/** Of one server: one more makes the oldest void. */
const MAX_OPEN = 10;

export interface NewFlow {
  serverId: number;
  /** What the server was when the sign-in began; another one now makes it void. */
  serverVersion: number;
  issuer: string;
  identity: ClientIdentity;
  redirectUri: string;
  resource: string;
  scopes: readonly string[];
}

export interface ClaimedFlow extends NewFlow {
  serverUrl: string;
  state: string;
  codeVerifier: string;
}

interface Row {
  id: string;
  server_id: number;
  server_version: number;
  url: string;
  checks_sealed: Buffer;
  issuer: string;
  client_source: ClientIdentity['source'];
  client_id: string;
  registration_id: string | null;
  redirect_uri: string;
  resource: string;
  scopes: string;
}

const random = () => randomBytes(32).toString('base64url');
const sha256 = (text: string) => hash('sha256', text, 'buffer');
const placeOf = (id: string) => ({ table: 'mcp_oauth_flows', column: 'checks_sealed', row: id });

/** Sign-ins between the way to the provider and the way back: ten minutes, one user, one server, one use. */
@Injectable()
export class OAuthFlows {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
  ) {}

  async begin(flow: NewFlow): Promise<{ state: string; codeVerifier: string }> {
    const { serverId, serverVersion, issuer, identity, redirectUri, resource, scopes } = flow;
    const id = newId();
    const state = random();
    const codeVerifier = random();
    await this.dataSource.query(
      `INSERT INTO mcp_oauth_flows (id, state_hash, server_id, server_version, checks_sealed, issuer, client_source,
         client_id, registration_id, redirect_uri, resource, scopes, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now() + make_interval(secs => $13))`,
      [
        id,
        sha256(state),
        serverId,
        serverVersion,
        this.sealing.seal(codeVerifier, placeOf(id)),
        issuer,
        identity.source,
        identity.clientId,
        identity.registrationId,
        redirectUri,
        resource,
        writeScopes(scopes),
        FLOW_SECONDS,
      ],
    );
    await this.dataSource.query(
      `DELETE FROM mcp_oauth_flows WHERE id IN
         (SELECT id FROM mcp_oauth_flows WHERE server_id = $1 ORDER BY expires_at DESC OFFSET ${MAX_OPEN})`,
      [serverId],
    );
    return { state, codeVerifier };
  }

  /**
   * Uses the state up. Another user's is left to them, and looks as if there were none.
   * @returns null: unknown, used, expired, another user's, or of a server that was changed or deleted since
   */
  async claim(userId: number, state: string): Promise<ClaimedFlow | null> {
    const [[row]] = await this.dataSource.query<[Row[], number]>(
      `DELETE FROM mcp_oauth_flows f USING mcp_servers s
       WHERE f.state_hash = $1 AND s.id = f.server_id AND s.user_id = $2 AND s.version = f.server_version
         AND s.auth_type = 'oauth' AND f.expires_at > now()
       RETURNING f.*, s.url`,
      [sha256(state), userId],
    );
    if (!row) return null;
    return {
      serverId: row.server_id,
      serverVersion: row.server_version,
      serverUrl: row.url,
      issuer: row.issuer,
      identity: { source: row.client_source, clientId: row.client_id, registrationId: row.registration_id },
      redirectUri: row.redirect_uri,
      resource: row.resource,
      scopes: parseScopes(row.scopes),
      state,
      codeVerifier: this.sealing.openText(row.checks_sealed, placeOf(row.id)),
    };
  }

  async purge(): Promise<void> {
    await this.dataSource.query('DELETE FROM mcp_oauth_flows WHERE expires_at < now()');
  }
}
