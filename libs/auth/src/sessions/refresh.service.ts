import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SealedBox } from '../tokens/sealed-box.js';
import { hashToken, newToken } from '../tokens/token.js';
import { type IssuedSession, RefreshRefusedError } from './issued-session.js';
import { SessionLifetimes } from './session-lifetimes.js';
import { SessionService } from './session.service.js';

type Row = {
  session_id: string;
  session_live: boolean;
  capped: boolean;
  absolute_seconds: number;
  replaced: boolean;
  in_grace: boolean;
  successor_sealed: Buffer | null;
  successor_current: boolean | null;
};

const FIND = `
  SELECT r.session_id, s.revoked_at IS NULL AND u.is_active AS session_live, s.absolute_expires_at <= now() AS capped,
         floor(extract(epoch FROM s.absolute_expires_at - now()))::int AS absolute_seconds,
         r.replaced_at IS NOT NULL AS replaced,
         coalesce(r.replaced_at > now() - make_interval(secs => $2), false) AS in_grace,
         r.successor_sealed, n.replaced_at IS NULL AS successor_current
  FROM refresh_tokens r JOIN sessions s ON s.id = r.session_id JOIN users u ON u.id = s.user_id
  LEFT JOIN refresh_tokens n ON n.token_hash = r.successor_hash
  WHERE r.token_hash = $1`;

/**
 * One statement, so one transaction: whoever marks the current token as replaced also leaves the successor; all others
 * wait for the row and then find it replaced. The access tokens of before end with the grace period.
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
    FROM won WHERE o.session_id = won.session_id AND o.successor_hash = $1
  ), seen AS (
    UPDATE sessions s SET last_seen_at = now() FROM won WHERE s.id = won.session_id
  )
  SELECT session_id FROM won`;

/** Rotation of refresh tokens with a grace period (document 1, section 3; document 3, A 2 and 3; reliability, C2). */
@Injectable()
export class RefreshService {
  private readonly logger = new Logger(RefreshService.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: SessionService,
    private readonly lifetimes: SessionLifetimes,
    private readonly box: SealedBox,
  ) {}

  /**
   * New tokens for a refresh token. Callers that come with the same token during the grace period get the same answer.
   * A token that comes back later, or whose successor has itself been replaced, was stolen from somebody: the session ends.
   * @throws RefreshRefusedError
   */
  async refresh(refreshToken: string): Promise<IssuedSession> {
    const hash = hashToken(refreshToken);
    let row = await this.find(hash);
    if (!row.replaced) {
      const issued = await this.rotate(hash, row);
      if (issued) return issued;
      row = await this.find(hash);
    }
    const issued = row.in_grace && row.successor_current ? this.openSuccessor(row, hash) : null;
    if (issued) return issued;
    this.logger.warn('A replaced refresh token was used again: its session is revoked.', { sessionId: row.session_id });
    await this.sessions.end(row.session_id);
    throw new RefreshRefusedError('invalid_refresh_token');
  }

  private async find(hash: Buffer): Promise<Row> {
    const [row] = await this.dataSource.query<Row[]>(FIND, [hash, this.lifetimes.graceSeconds]);
    if (!row?.session_live) throw new RefreshRefusedError('invalid_refresh_token');
    if (row.capped) throw new RefreshRefusedError('max_session_lifetime_exceeded');
    return row;
  }

  /** @returns null when another caller was faster */
  private async rotate(hash: Buffer, row: Row): Promise<IssuedSession | null> {
    const issued: IssuedSession = {
      accessToken: newToken(),
      refreshToken: newToken(),
      expiresIn: Math.min(this.lifetimes.accessSeconds, row.absolute_seconds),
      absoluteExpiresIn: row.absolute_seconds,
    };
    const won = await this.dataSource.query<unknown[]>(ROTATE, [
      hash,
      hashToken(issued.refreshToken),
      this.box.seal(JSON.stringify(issued), hash.toString('base64')),
      hashToken(issued.accessToken),
      issued.expiresIn,
      this.lifetimes.graceSeconds,
    ]);
    return won.length > 0 ? issued : null;
  }

  private openSuccessor(row: Row, hash: Buffer): IssuedSession | null {
    const text = row.successor_sealed && this.box.open(row.successor_sealed, hash.toString('base64'));
    return text ? (JSON.parse(text) as IssuedSession) : null;
  }
}
