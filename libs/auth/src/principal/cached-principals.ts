import { hashToken } from '@app/common';
import { LiveBus } from '@app/live';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from './principal.js';
import { PrincipalResolver } from './principal-resolver.js';
import { RevocableCache } from './revocable-cache.js';
import type { ApiScope } from './scopes.js';

/** How long a replica that missed a revocation may still honour a token. */
const MAX_AGE_MS = 5000;
const MAX_ENTRIES = 20_000;

type Row = {
  user_id: number;
  username: string;
  email: string;
  is_staff: boolean;
  organization_id: number | null;
  reads_only: boolean;
  session_id: string;
  scopes: ApiScope[] | null;
  for_mcp: boolean;
  milliseconds_left: number;
  seen_lately: boolean;
};
type Known = { principal: Principal; millisecondsLeft: number };

const FIND = `
  SELECT u.id AS user_id, u.username, u.email, u.is_staff, u.organization_id, s.id AS session_id,
         u.organization_role = 'viewer' AND o.personal IS FALSE AS reads_only,
         coalesce(t.scopes, g.scopes) AS scopes, g.session_id IS NOT NULL AS for_mcp,
         (extract(epoch FROM least(a.expires_at, s.absolute_expires_at) - now()) * 1000)::float8 AS milliseconds_left,
         s.last_seen_at > now() - interval '1 minute'
           -- The first use of an API token shows at once, however soon it comes.
           AND (t.session_id IS NULL OR s.last_seen_at > s.created_at) AS seen_lately
  FROM access_tokens a JOIN sessions s ON s.id = a.session_id JOIN users u ON u.id = s.user_id
  LEFT JOIN organizations o ON o.id = u.organization_id
  LEFT JOIN api_tokens t ON t.session_id = s.id LEFT JOIN oauth_grants g ON g.session_id = s.id
  WHERE a.token_hash = $1 AND a.expires_at > now() AND s.absolute_expires_at > now()
    AND s.revoked_at IS NULL AND u.is_active`;

/**
 * Resolves access tokens from a short cache before Postgres. A revocation is pushed to every replica, so it is seen
 * at once; should the push be lost, within five seconds.
 */
@Injectable()
export class CachedPrincipals extends PrincipalResolver implements OnModuleInit {
  private readonly logger = new Logger(CachedPrincipals.name);
  private readonly cache = new RevocableCache<Known>({ max: MAX_ENTRIES, ttlMs: MAX_AGE_MS });

  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    this.live.onGap(() => this.cache.clear());
    const subscribed = this.live.subscribe('principals', (message) =>
      'sessionId' in message ? this.forgetSession(message.sessionId) : this.forgetUser(message.userId),
    );
    // Redis may be away when the api starts; the subscription follows when it is back.
    subscribed.catch((error: Error) => this.logger.warn(`Revocations are not pushed: ${error.message}`));
  }

  async resolve(accessToken: string): Promise<Principal | null> {
    if (accessToken.length > 200) return null;
    const known = await this.cache.load(
      accessToken,
      () => this.find(hashToken(accessToken)),
      (found) => found.millisecondsLeft,
    );
    return known?.principal ?? null;
  }

  /** The answer when it is remembered, at once. */
  peek(accessToken: string): Principal | null {
    return this.cache.peek(accessToken)?.principal ?? null;
  }

  /**
   * Call after commit, with what was revoked or changed: a session, or all that an account's answers hold. Every cache of
   * this process has forgotten it on return, so that a caller sees what they changed.
   */
  announce(change: { sessionId: string } | { userId: number }): void {
    this.live.invalidate('principals', change);
  }

  private forgetSession(sessionId: string): void {
    this.cache.revoke(({ principal }) => principal.sessionId === sessionId);
  }

  private forgetUser(userId: number): void {
    this.cache.revoke(({ principal }) => principal.userId === userId);
  }

  private async find(tokenHash: Buffer): Promise<Known | null> {
    const [row] = await this.dataSource.query<Row[]>(FIND, [tokenHash]);
    if (!row) return null;
    if (!row.seen_lately) this.markSeen(row.session_id);
    const principal: Principal = Object.freeze({
      userId: row.user_id,
      username: row.username,
      email: row.email,
      sessionId: row.session_id,
      isStaff: row.is_staff,
      organizationId: row.organization_id,
      scopes: row.scopes,
      ...(row.reads_only && { readsOnly: true as const }),
      ...(row.for_mcp && { audience: 'mcp' as const }),
    });
    return { principal, millisecondsLeft: row.milliseconds_left };
  }

  private markSeen(sessionId: string): void {
    this.dataSource
      .query('UPDATE sessions SET last_seen_at = now() WHERE id = $1', [sessionId])
      .catch((error: Error) => this.logger.warn(`last_seen_at is not written: ${error.message}`));
  }
}
