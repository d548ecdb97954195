import { AuditLog } from '@app/audit';
import { hashToken, inBatches, newId, newToken, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import type { Principal } from '../principal/principal.js';
import type { IssuedSession, SignInOrigin } from './issued-session.js';
import { SessionLifetimes } from './session-lifetimes.js';

export interface SessionSummary {
  id: string;
  createdAt: Date;
  lastSeenAt: Date;
  ip: string;
  userAgent: string;
  method: string;
}

const PURGE_BATCH = 1000;

/** Each removes at most `$1` rows, and leaves to another process what that one is at. */
const EXPIRED = [
  ['sessions', 'id', 'absolute_expires_at', '7 days'],
  ['sessions', 'id', 'revoked_at', '7 days'],
  ['access_tokens', 'token_hash', 'expires_at', '1 hour'],
  ['socket_tickets', 'ticket_hash', 'expires_at', '0'],
].map(
  ([table, key, column, after]) => `DELETE FROM ${table} WHERE ${key} IN (
    SELECT ${key} FROM ${table} WHERE ${column} < now() - interval '${after}'
    ORDER BY ${column} LIMIT $1 FOR UPDATE SKIP LOCKED)`,
);

/** Begins, lists and ends sessions. */
@Injectable()
export class SessionService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly principals: CachedPrincipals,
    private readonly lifetimes: SessionLifetimes,
    private readonly audit: AuditLog,
  ) {}

  /** A session of an account whose sign-in has been checked; also writes `last_login`. */
  async begin(
    userId: number,
    origin: SignInOrigin,
    tx: EntityManager = this.dataSource.manager,
  ): Promise<IssuedSession> {
    const [accessToken, refreshToken] = [newToken(), newToken()];
    const { accessSeconds, absoluteSeconds } = this.lifetimes;
    const expiresIn = Math.min(accessSeconds, absoluteSeconds);
    await tx.query(
      `WITH session AS (
         INSERT INTO sessions (id, user_id, method, ip, user_agent, absolute_expires_at)
         VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6)) RETURNING id
       ), access AS (
         INSERT INTO access_tokens (token_hash, session_id, expires_at)
         SELECT $7, id, now() + make_interval(secs => $8) FROM session
       ), refresh AS (
         INSERT INTO refresh_tokens (token_hash, session_id) SELECT $9, id FROM session
       )
       UPDATE users SET last_login = now() WHERE id = $2`,
      [
        newId(),
        userId,
        origin.method,
        origin.ip.slice(0, 64),
        origin.userAgent.replaceAll('\0', '').slice(0, 400),
        absoluteSeconds,
        hashToken(accessToken),
        expiresIn,
        hashToken(refreshToken),
      ],
    );
    this.principals.announce({ userId });
    return { accessToken, refreshToken, expiresIn, absoluteExpiresIn: absoluteSeconds };
  }

  /**
   * Ends all sessions of the viewer; API tokens stay. Every replica refuses their tokens as soon as it hears of it, and
   * within five seconds at the latest.
   */
  async endAllOwn(viewer: Principal): Promise<void> {
    const { userId } = viewer;
    await this.dataSource.transaction(async (tx) => {
      await this.revokeAll(userId, null, tx);
      await this.audit.record({ action: 'session.all_ended', actor: viewer, target: `user:${userId}` }, tx);
    });
    this.principals.announce({ userId });
  }

  /** What programs hold goes too: when the account is closed or was lost to somebody. Announce it after commit. */
  async revokeApiTokens(userId: number, tx: EntityManager): Promise<void> {
    await tx.query(
      `UPDATE sessions SET revoked_at = now() WHERE user_id = $1 AND revoked_at IS NULL AND method = 'api_token'`,
      [userId],
    );
  }

  /**
   * In the caller's transaction; announce the account after commit. What was granted to a program that has not fetched its
   * tokens goes, too. @param keep the session that goes on, if any
   */
  async revokeAll(userId: number, keep: string | null, tx: EntityManager): Promise<void> {
    await voidCodes(userId, tx);
    await tx.query(
      `UPDATE sessions SET revoked_at = now() WHERE user_id = $1 AND revoked_at IS NULL AND method <> 'api_token' AND id IS DISTINCT FROM $2::uuid`,
      [userId, keep],
    );
  }

  /** Ends the session that the viewer came with; ended already is as good. */
  async endCurrent(viewer: Principal): Promise<void> {
    await this.revokeOwn(viewer, viewer.sessionId);
  }

  /** @throws NotFoundError when the viewer has no such live session */
  async endOwn(viewer: Principal, sessionId: string): Promise<void> {
    if (!(await this.revokeOwn(viewer, sessionId))) throw new NotFoundError();
  }

  /** The viewer's live sessions, last seen first. */
  async listOwn(viewer: Principal): Promise<SessionSummary[]> {
    return this.dataSource.query<SessionSummary[]>(
      `SELECT id, created_at AS "createdAt", last_seen_at AS "lastSeenAt", ip, user_agent AS "userAgent", method
       FROM sessions
       WHERE user_id = $1 AND revoked_at IS NULL AND absolute_expires_at > now() AND method <> 'api_token'
       ORDER BY last_seen_at DESC, id LIMIT 500`,
      [viewer.userId],
    );
  }

  /** Deletes sessions that ended a while ago, with their tokens, and tokens that expired. */
  async purge(): Promise<void> {
    const { graceSeconds } = this.lifetimes;
    for (const expired of EXPIRED)
      await inBatches(PURGE_BATCH, async (batch) => {
        const [, count] = await this.dataSource.query<[unknown, number]>(expired, [batch]);
        return count;
      });
    await inBatches(PURGE_BATCH, async (batch) => {
      const [, count] = await this.dataSource.query<[unknown, number]>(
        `UPDATE refresh_tokens SET successor_sealed = NULL WHERE token_hash IN (
           SELECT token_hash FROM refresh_tokens
           WHERE successor_sealed IS NOT NULL AND replaced_at < now() - make_interval(secs => $1)
           ORDER BY replaced_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
        [graceSeconds, batch],
      );
      return count;
    });
  }

  private async revokeOwn(viewer: Principal, sessionId: string): Promise<boolean> {
    const ended = await this.dataSource.transaction(async (tx) => {
      await voidCodes(viewer.userId, tx);
      const [, count] = await tx.query<[unknown, number]>(
        `UPDATE sessions SET revoked_at = now()
         WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND absolute_expires_at > now() AND method <> 'api_token'`,
        [sessionId, viewer.userId],
      );
      if (count > 0)
        await this.audit.record({ action: 'session.ended', actor: viewer, target: `session:${sessionId}` }, tx);
      return count > 0;
    });
    if (ended) this.principals.announce({ sessionId });
    return ended;
  }
}

/**
 * Codes of OAuth that nobody has exchanged: a session would come of them after the others have ended. Whoever exchanges or
 * grants one holds the account, as this does before it looks for sessions, so that it comes before or after.
 */
async function voidCodes(userId: number, tx: EntityManager): Promise<void> {
  await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  await tx.query(
    `UPDATE oauth_requests SET code_expires_at = now()
     WHERE user_id = $1 AND session_id IS NULL AND code_expires_at > now()`,
    [userId],
  );
}
