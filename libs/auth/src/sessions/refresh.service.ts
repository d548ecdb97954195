import { AuditLog } from '@app/audit';
import { hashToken, newToken } from '@app/common';
import { Messages } from '@app/messages';
import { SealingService, UnsealableError } from '@app/secrets';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { type IssuedSession, RefreshRefusedError } from './issued-session.js';
import { SessionLifetimes } from './session-lifetimes.js';

type Row = {
  session_id: string;
  session_live: boolean;
  capped: boolean;
  absolute_seconds: number;
  replaced: boolean;
  in_grace: boolean;
  successor_sealed: Buffer | null;
};

export interface RefreshingProgram {
  oauthClientId: string;
  /** Lifetime of its access tokens. */
  accessSeconds: number;
}

type Owner = {
  userId: number;
  username: string;
  email: string;
  name: string;
  language: 'en' | 'ar';
  userAgent: string;
};

const placeOf = (tokenHash: Buffer) => ({
  table: 'refresh_tokens',
  column: 'successor_sealed',
  row: tokenHash.toString('hex'),
});

const FIND = `
  SELECT r.session_id, s.revoked_at IS NULL AND u.is_active AS session_live, s.absolute_expires_at <= now() AS capped,
         floor(extract(epoch FROM s.absolute_expires_at - now()))::int AS absolute_seconds,
         r.replaced_at IS NOT NULL AS replaced,
         coalesce(r.replaced_at > now() - make_interval(secs => $2), false) AS in_grace,
         r.successor_sealed
  FROM refresh_tokens r JOIN sessions s ON s.id = r.session_id JOIN users u ON u.id = s.user_id
  LEFT JOIN oauth_grants g ON g.session_id = s.id
  WHERE r.token_hash = $1 AND g.client_id IS NOT DISTINCT FROM $3`;

/**
 * One statement, so one transaction: whoever marks the current token as replaced also leaves the successor; all others
 * wait for the row and then find it replaced. The access tokens of before end with the grace period, and so does what is
 * kept of earlier successors.
 */
const ROTATE = `
  WITH won AS (
    UPDATE refresh_tokens SET replaced_at = now(), successor_hash = $2, successor_sealed = $3
    WHERE token_hash = $1 AND replaced_at IS NULL RETURNING session_id
  ), refresh AS (
    INSERT INTO refresh_tokens (token_hash, session_id) SELECT $2, session_id FROM won
  ), access AS (
    INSERT INTO access_tokens (token_hash, session_id, expires_at)
    SELECT $4, session_id, now() + make_interval(secs => $5) FROM won
  ), before AS (
    UPDATE access_tokens a SET expires_at = least(a.expires_at, now() + make_interval(secs => $6))
    FROM won WHERE a.session_id = won.session_id
  ), erased AS (
    UPDATE refresh_tokens o SET successor_sealed = NULL
    FROM won WHERE o.session_id = won.session_id AND o.successor_sealed IS NOT NULL
      AND o.replaced_at <= now() - make_interval(secs => $6)
  ), seen AS (
    UPDATE sessions s SET last_seen_at = now() FROM won WHERE s.id = won.session_id
  )
  SELECT session_id FROM won`;

/**
 * Rotation of refresh tokens with a grace period (docs/contract/sessions.md#refresh,
 * docs/contract/reliability.md#refresh-tokens).
 */
@Injectable()
export class RefreshService {
  private readonly logger = new Logger(RefreshService.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly principals: CachedPrincipals,
    private readonly lifetimes: SessionLifetimes,
    private readonly sealing: SealingService,
    private readonly messages: Messages,
    private readonly audit: AuditLog,
  ) {}

  /**
   * New tokens for a refresh token. Callers that come with the same token during the grace period get the same answer.
   * A token that comes back later was stolen from somebody: the session ends. Only time decides, so that a slow tab is
   * answered although a faster one has gone on meanwhile.
   * @param program the MCP client that the token was given to; without it only tokens of people are taken
   * @throws RefreshRefusedError
   */
  async refresh(refreshToken: string, program?: RefreshingProgram): Promise<IssuedSession> {
    const hash = hashToken(refreshToken);
    let row = await this.find(hash, program);
    if (!row.replaced) {
      const issued = await this.rotate(hash, row, program);
      if (issued) return issued;
      row = await this.find(hash, program);
    }
    if (row.in_grace) return this.openSuccessor(row, hash);
    await this.endFamily(row.session_id);
    throw new RefreshRefusedError('invalid_refresh_token');
  }

  private async find(hash: Buffer, program: RefreshingProgram | undefined): Promise<Row> {
    const values = [hash, this.lifetimes.graceSeconds, program?.oauthClientId ?? null];
    const [row] = await this.dataSource.query<Row[]>(FIND, values);
    if (!row?.session_live) throw new RefreshRefusedError('invalid_refresh_token');
    if (row.capped) throw new RefreshRefusedError('max_session_lifetime_exceeded');
    return row;
  }

  /** @returns null when another caller was faster */
  private async rotate(hash: Buffer, row: Row, program?: RefreshingProgram): Promise<IssuedSession | null> {
    const accessSeconds = program?.accessSeconds ?? this.lifetimes.accessSeconds;
    const issued: IssuedSession = {
      accessToken: newToken(),
      refreshToken: newToken(),
      expiresIn: Math.min(accessSeconds, row.absolute_seconds),
      absoluteExpiresIn: row.absolute_seconds,
    };
    const won = await this.dataSource.query<unknown[]>(ROTATE, [
      hash,
      hashToken(issued.refreshToken),
      this.sealing.seal(JSON.stringify(issued), placeOf(hash)),
      hashToken(issued.accessToken),
      issued.expiresIn,
      this.lifetimes.graceSeconds,
    ]);
    return won.length > 0 ? issued : null;
  }

  /** Ends the session of a token that was used twice; its owner is told, once. */
  private async endFamily(sessionId: string): Promise<void> {
    const receipt = await this.dataSource.transaction(async (tx) => {
      const [[owner]] = await tx.query<[Owner[], number]>(
        `UPDATE sessions s SET revoked_at = now() FROM users u
         WHERE s.id = $1 AND s.revoked_at IS NULL AND u.id = s.user_id
         RETURNING u.id AS "userId", u.username, u.email, u.first_name AS name, u.language, s.user_agent AS "userAgent"`,
        [sessionId],
      );
      if (!owner) return null;
      const { userId, username, email: to, name, language, userAgent } = owner;
      const target = `session:${sessionId}`;
      const entry = { actor: null, subjectId: userId, target, details: { username } };
      await this.audit.record({ action: 'session.token_reused', outcome: 'failure', ...entry }, tx);
      const at = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`;
      return this.messages.enqueue(
        { channel: 'mail', template: 'token-reuse', language, to, userId, params: { name, at, userAgent } },
        tx,
      );
    });
    this.principals.announce({ sessionId });
    if (!receipt) return;
    this.logger.warn('A replaced refresh token was used again: its session is revoked.', { sessionId });
    this.messages.publish(receipt);
  }

  private openSuccessor({ successor_sealed }: Row, hash: Buffer): IssuedSession {
    if (!successor_sealed) throw new RefreshRefusedError('invalid_refresh_token');
    try {
      return JSON.parse(this.sealing.openText(successor_sealed, placeOf(hash))) as IssuedSession;
    } catch (error) {
      // Sealed by the release before, or under a key that is gone: no sign of theft, so the session goes on.
      throw error instanceof UnsealableError ? new RefreshRefusedError('invalid_refresh_token') : error;
    }
  }
}
