import { createHash, timingSafeEqual } from 'node:crypto';
import { hashToken, newId, newToken } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { z } from 'zod';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { RefreshRefusedError } from '../sessions/issued-session.js';
import { RefreshService } from '../sessions/refresh.service.js';
import { isResource } from './authorization-requests.js';
import { OAuthError } from './oauth-error.js';

const ACCESS_SECONDS = 3600;
const SESSION_DAYS = 90;

const text = z.string().min(1).max(2000);
const byCode = z.object({
  code: text,
  client_id: text,
  redirect_uri: text.optional(),
  code_verifier: z.string().regex(/^[A-Za-z0-9._~-]{43,128}$/),
  resource: text.optional(),
});
const byRefresh = z.object({ refresh_token: text, client_id: text, resource: text.optional() });

export interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token: string;
  scope: string;
}

interface CodeRow {
  id: string;
  clientId: string;
  clientName: string;
  redirectUri: string;
  scopes: string[];
  codeChallenge: string;
  sessionId: string | null;
  isFresh: boolean;
  userId: number;
}

const wrongGrant = () => new OAuthError('invalid_grant', 'The code or the token is not valid (any more).');

/** Tokens for what users granted: sessions whose tokens are good for the MCP endpoint alone. */
@Injectable()
export class OAuthTokens {
  constructor(
    private readonly dataSource: DataSource,
    private readonly refreshes: RefreshService,
    private readonly principals: CachedPrincipals,
  ) {}

  /** @param given the form of RFC 6749. @throws OAuthError */
  async issue(given: unknown, resource: string, origin: { ip: string }): Promise<TokenAnswer> {
    const { grant_type: type } = (given ?? {}) as { grant_type?: unknown };
    if (type === 'authorization_code') return this.exchange(read(byCode, given), resource, origin);
    if (type === 'refresh_token') return this.refresh(read(byRefresh, given), resource);
    throw new OAuthError('unsupported_grant_type', 'authorization_code and refresh_token are spoken.');
  }

  /** Ends what the token belongs to (RFC 7009); one that is unknown is as good as ended. */
  async revoke(given: unknown): Promise<void> {
    const { token, client_id: clientId } = read(z.object({ token: text, client_id: text }), given);
    const [rows] = await this.dataSource.query<[{ id: string }[], number]>(
      `UPDATE sessions s SET revoked_at = now() FROM oauth_grants g
       WHERE g.session_id = s.id AND g.client_id = $2 AND s.revoked_at IS NULL AND s.id IN (
         SELECT session_id FROM access_tokens WHERE token_hash = $1
         UNION SELECT session_id FROM refresh_tokens WHERE token_hash = $1)
       RETURNING s.id`,
      [hashToken(token), clientId],
    );
    for (const { id } of rows) this.principals.announce({ sessionId: id });
  }

  private async exchange(
    given: z.output<typeof byCode>,
    resource: string,
    { ip }: { ip: string },
  ): Promise<TokenAnswer> {
    if (!isResource(given.resource, resource))
      throw new OAuthError('invalid_target', 'Tokens are given for /mcp alone.');
    const done = await this.dataSource.transaction(async (tx) => {
      await tx.query(HOLD_ACCOUNT, [hashToken(given.code)]);
      const [row] = await tx.query<CodeRow[]>(FIND_CODE, [hashToken(given.code)]);
      if (!row || row.clientId !== given.client_id) return { stolenFrom: null };
      // Somebody else has it, too (OAuth 2.1, section 4.1.3).
      if (row.sessionId !== null) return { stolenFrom: await endSession(row.sessionId, tx) };
      const isSame = given.redirect_uri === undefined || given.redirect_uri === row.redirectUri;
      if (!row.isFresh || !isSame || !provesChallenge(given.code_verifier, row.codeChallenge))
        return { stolenFrom: null };
      return { issued: await begin(row, ip, tx) };
    });
    if ('issued' in done && done.issued) return done.issued;
    if ('stolenFrom' in done && done.stolenFrom) this.principals.announce({ sessionId: done.stolenFrom });
    throw wrongGrant();
  }

  private async refresh(given: z.output<typeof byRefresh>, resource: string): Promise<TokenAnswer> {
    if (!isResource(given.resource, resource))
      throw new OAuthError('invalid_target', 'Tokens are given for /mcp alone.');
    try {
      const issued = await this.refreshes.refresh(given.refresh_token, {
        oauthClientId: given.client_id,
        accessSeconds: ACCESS_SECONDS,
      });
      const [row] = await this.dataSource.query<{ scopes: string[] }[]>(
        `SELECT g.scopes FROM oauth_grants g JOIN access_tokens a ON a.session_id = g.session_id WHERE a.token_hash = $1`,
        [hashToken(issued.accessToken)],
      );
      return toAnswer(issued.accessToken, issued.refreshToken, issued.expiresIn, row?.scopes ?? []);
    } catch (error) {
      throw error instanceof RefreshRefusedError ? wrongGrant() : error;
    }
  }
}

/** Before the code, so that who ends all sessions of the account has come before, or finds the one that is begun here. */
const HOLD_ACCOUNT = `
  SELECT FROM users WHERE id = (SELECT user_id FROM oauth_requests WHERE code_hash = $1) FOR NO KEY UPDATE`;

/** By the clock, not by the beginning of this transaction: it may have waited for the one that voided the code. */
const FIND_CODE = `
  SELECT r.id, r.client_id AS "clientId", c.name AS "clientName", r.redirect_uri AS "redirectUri", r.scopes,
    r.code_challenge AS "codeChallenge", r.session_id AS "sessionId", r.user_id AS "userId",
    r.code_expires_at > clock_timestamp() AND u.is_active AS "isFresh"
  FROM oauth_requests r JOIN oauth_clients c ON c.id = r.client_id JOIN users u ON u.id = r.user_id
  WHERE r.code_hash = $1 FOR UPDATE OF r`;

async function begin(row: CodeRow, ip: string, tx: EntityManager): Promise<TokenAnswer> {
  const [accessToken, refreshToken, sessionId] = [newToken(), newToken(), newId()];
  await tx.query(
    `WITH session AS (
       INSERT INTO sessions (id, user_id, method, ip, user_agent, absolute_expires_at)
       VALUES ($1, $2, 'oauth', $3, $4, now() + make_interval(days => $5)) RETURNING id
     ), access AS (
       INSERT INTO access_tokens (token_hash, session_id, expires_at)
       SELECT $6, id, now() + make_interval(secs => $7) FROM session
     ), refresh AS (
       INSERT INTO refresh_tokens (token_hash, session_id) SELECT $8, id FROM session
     )
     INSERT INTO oauth_grants (session_id, user_id, client_id, scopes) SELECT id, $2, $9, $10 FROM session`,
    [
      sessionId,
      row.userId,
      ip.slice(0, 64),
      `MCP client: ${row.clientName}`,
      SESSION_DAYS,
      hashToken(accessToken),
      ACCESS_SECONDS,
      hashToken(refreshToken),
      row.clientId,
      row.scopes,
    ],
  );
  await tx.query('UPDATE oauth_requests SET session_id = $2 WHERE id = $1', [row.id, sessionId]);
  return toAnswer(accessToken, refreshToken, ACCESS_SECONDS, row.scopes);
}

async function endSession(sessionId: string, tx: EntityManager): Promise<string> {
  await tx.query('UPDATE sessions SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL', [sessionId]);
  return sessionId;
}

function toAnswer(
  accessToken: string,
  refreshToken: string,
  expiresIn: number,
  scopes: readonly string[],
): TokenAnswer {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresIn,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  };
}

function provesChallenge(verifier: string, challenge: string): boolean {
  const made = createHash('sha256').update(verifier).digest('base64url');
  return made.length === challenge.length && timingSafeEqual(Buffer.from(made), Buffer.from(challenge));
}

function read<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const found = schema.safeParse(given ?? {});
  if (found.success) return found.data;
  const names = [...new Set(found.error.issues.map(({ path }) => String(path[0] ?? 'body')))];
  throw new OAuthError('invalid_request', `Missing or wrong: ${names.join(', ')}.`);
}
