import { AuditLog } from '@app/audit';
import { hashToken, isUuid, newId, newToken, NotFoundError, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { holdSession } from '../principal/hold-session.js';
import type { Principal } from '../principal/principal.js';
import { type KnownClient, OAuthClients } from './oauth-clients.js';
import { OAuthError } from './oauth-error.js';
import { MCP_SCOPES, type McpScope, readScopes } from './oauth-scopes.js';
import { isLoopback, matchesRedirectUri, withParameters } from './redirect-uri.js';

const REQUEST_MINUTES = 10;
const CODE_SECONDS = 60;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

const MOST_STATE = 4096;
const MOST_SCOPE = 2000;
const text = z.string().max(2000).optional().catch(undefined);
const query = z.object({
  response_type: text,
  client_id: text,
  redirect_uri: text,
  // Without its scopes a request asks for all, and without its state a program knows no answer: null is refused.
  scope: z.string().max(MOST_SCOPE).nullish().catch(null),
  state: z
    .string()
    .max(MOST_STATE)
    .regex(/^[^\0]*$/)
    .nullish()
    .catch(null),
  code_challenge: text,
  code_challenge_method: text,
  resource: text,
});

export interface PendingRequest {
  client: Pick<KnownClient, 'name' | 'uri'>;
  redirectUri: string;
  scopes: McpScope[];
  expiresAt: Date;
}

/** What a client that is known asked wrongly. */
export interface RefusedRequest {
  code: string;
  message: string;
  redirectTo: string;
  /**
   * Whether the browser may go there by itself. Anybody can register a client, so that any other address would make this
   * deployment lend its name to it (RFC 9700, section 4.11.2).
   */
  isHarmless: boolean;
}

type PendingRow = {
  name: string;
  uri: string;
  redirectUri: string;
  scopes: McpScope[];
  state: string | null;
  expiresAt: Date;
};

/** What clients ask of users, until the user has answered. */
@Injectable()
export class AuthorizationRequests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clients: OAuthClients,
    private readonly audit: AuditLog,
  ) {}

  /**
   * @param resource the address of the endpoint
   * @returns the id of the request, or where to tell a client that asked wrongly
   * @throws OAuthError when it is not even known whom to tell where
   */
  async begin(given: unknown, resource: string, issuer: string): Promise<{ id: string } | RefusedRequest> {
    const asked = query.parse(given);
    const client = asked.client_id === undefined ? null : await this.clients.find(asked.client_id);
    if (!client) throw new OAuthError('invalid_client', 'This client is not registered here.', 401);
    const redirectUri = asked.redirect_uri ?? (client.redirectUris.length === 1 ? client.redirectUris[0]! : '');
    if (!matchesRedirectUri(client.redirectUris, redirectUri))
      throw new OAuthError('invalid_request', 'The redirect_uri is not one that the client registered.');
    const state = asked.state ?? null;
    const scopes = readScopes(asked.scope ?? undefined);
    const refuse = (error: string, description: string): RefusedRequest => ({
      code: error,
      message: description,
      isHarmless: isLoopback(redirectUri),
      redirectTo: withParameters(redirectUri, { error, error_description: description, state, iss: issuer }),
    });
    if (asked.state === null) return refuse('invalid_request', `state: once, ${MOST_STATE} characters at most.`);
    if (asked.scope === null) return refuse('invalid_request', `scope: once, ${MOST_SCOPE} characters at most.`);
    if (asked.response_type !== 'code') return refuse('unsupported_response_type', 'Only "code" is spoken.');
    if (asked.code_challenge_method !== 'S256' || !CHALLENGE.test(asked.code_challenge ?? ''))
      return refuse('invalid_request', 'PKCE with S256 is required.');
    if (!isResource(asked.resource, resource)) return refuse('invalid_target', 'Tokens are given for /mcp alone.');
    if (!scopes) return refuse('invalid_scope', `The scopes are ${MCP_SCOPES.join(', ')}.`);
    const id = newId();
    await this.dataSource.query(
      `INSERT INTO oauth_requests (id, client_id, redirect_uri, scopes, state, code_challenge, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(mins => $7))`,
      [id, client.id, redirectUri, scopes, state, asked.code_challenge, REQUEST_MINUTES],
    );
    return { id };
  }

  /** @throws NotFoundError when there is none, it is too old, or it was answered */
  async get(id: string): Promise<PendingRequest> {
    const row = isUuid(id) ? (await this.dataSource.query<PendingRow[]>(FIND, [id]))[0] : undefined;
    if (!row) throw notFound();
    const { name, uri, redirectUri, scopes, expiresAt } = row;
    return { client: { name, uri }, redirectUri, scopes, expiresAt };
  }

  /**
   * @param granted some of what was asked for; null: nothing, and the client is told
   * @returns where the browser goes on
   * @throws NotFoundError as `get`; ValidationError for scopes that were not asked for
   */
  async answer(
    viewer: Principal,
    id: string,
    granted: readonly string[] | 'all' | null,
    issuer: string,
  ): Promise<string> {
    if (!isUuid(id)) throw notFound();
    const code = newToken();
    return this.dataSource.transaction(async (tx) => {
      const [row] = await tx.query<(PendingRow & { clientId: string })[]>(`${FIND} FOR UPDATE OF r`, [id]);
      if (!row) throw notFound();
      await holdSession(tx, viewer);
      const scopes = granted === 'all' ? row.scopes : row.scopes.filter((scope) => granted?.includes(scope));
      if (granted !== null && (scopes.length === 0 || (granted !== 'all' && granted.length > scopes.length)))
        throw new ValidationError({ scopes: ['Choose among the scopes that were asked for.'] });
      const isGranted = granted !== null;
      await tx.query(
        `UPDATE oauth_requests SET user_id = $2, scopes = $3, code_hash = $4,
           code_expires_at = now() + make_interval(secs => $5) WHERE id = $1`,
        [id, viewer.userId, isGranted ? scopes : [], isGranted ? hashToken(code) : null, CODE_SECONDS],
      );
      const details = { client: row.name, scopes };
      const target = `oauth_client:${row.clientId}`;
      if (isGranted) await this.audit.record({ action: 'oauth.granted', actor: viewer, target, details }, tx);
      const outcome: Record<string, string> = isGranted ? { code } : { error: 'access_denied' };
      return withParameters(row.redirectUri, { ...outcome, state: row.state, iss: issuer });
    });
  }

  async purge(): Promise<void> {
    // Used codes are known for a day, so that one that comes again ends what came of it.
    await this.dataSource.query(`DELETE FROM oauth_requests WHERE expires_at < now() - interval '1 day'`);
  }
}

const FIND = `
  SELECT c.name, c.uri, r.client_id AS "clientId", r.redirect_uri AS "redirectUri", r.scopes, r.state, r.expires_at AS "expiresAt"
  FROM oauth_requests r JOIN oauth_clients c ON c.id = r.client_id
  WHERE r.id = $1 AND r.user_id IS NULL AND r.expires_at > now()`;

const notFound = () =>
  new NotFoundError('This request is answered already, or too old. Begin anew in the program that asks.', {
    code: 'oauth_request_not_found',
  });

/** RFC 8707, with a slash at its end or without; clients that name none mean this one. */
export function isResource(given: string | undefined, resource: string): boolean {
  return given === undefined || given.replace(/\/$/, '') === resource;
}
