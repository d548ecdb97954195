import { AuditLog } from '@app/audit';
import { ConflictError, hashToken, newId, newToken, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { holdSession } from '../principal/hold-session.js';
import type { Principal } from '../principal/principal.js';
import type { ApiScope } from '../principal/scopes.js';

export interface ApiTokenRecord {
  id: number;
  name: string;
  scopes: ApiScope[];
  /** The token's last characters. */
  hint: string;
  createdAt: Date;
  expiresAt: Date | null;
  /** To the minute; null before its first use. */
  lastUsedAt: Date | null;
}

/** So that scanners of leaked secrets know what they found. */
const PREFIX = 'atr_';
const MOST_PER_USER = 50;
const COLUMNS = `t.id, t.name, t.scopes, t.hint, t.created_at AS "createdAt", t.expires_at AS "expiresAt",
                 nullif(s.last_seen_at, s.created_at) AS "lastUsedAt"`;

/** Tokens that people make for their programs (docs/contract/sessions.md#api-tokens). Only hashes are kept. */
@Injectable()
export class ApiTokens {
  constructor(
    private readonly dataSource: DataSource,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
  ) {}

  /**
   * @returns the record, and the token itself, which nobody can see again
   * @throws ConflictError (`api_token_limit_reached`)
   */
  async create(
    viewer: Principal,
    { name, scopes, expiresAt }: { name: string; scopes: ApiScope[]; expiresAt: Date | null },
    origin: { ip: string; userAgent: string },
  ): Promise<{ record: ApiTokenRecord; token: string }> {
    const token = PREFIX + newToken();
    const sessionId = newId();
    const record = await this.dataSource.transaction(async (tx) => {
      await holdSession(tx, viewer);
      const [{ count }] = await tx.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM api_tokens t JOIN sessions s ON s.id = t.session_id
         WHERE t.user_id = $1 AND s.revoked_at IS NULL AND s.absolute_expires_at > now()`,
        [viewer.userId],
      );
      if (count >= MOST_PER_USER)
        throw new ConflictError(`You have ${MOST_PER_USER} API tokens already. Delete one first.`, {
          code: 'api_token_limit_reached',
        });
      const [row] = await tx.query<[ApiTokenRecord]>(
        `WITH session AS (
           INSERT INTO sessions (id, user_id, method, ip, user_agent, absolute_expires_at)
           VALUES ($1, $2, 'api_token', $3, $4, coalesce($5, now() + interval '100 years')) RETURNING *
         ), access AS (
           INSERT INTO access_tokens (token_hash, session_id, expires_at) SELECT $6, id, absolute_expires_at FROM session
         ), t AS (
           INSERT INTO api_tokens (user_id, session_id, name, scopes, hint, expires_at)
           SELECT $2, id, $7, $8, $9, $5 FROM session RETURNING *
         )
         SELECT ${COLUMNS} FROM t, session s`,
        [
          sessionId,
          viewer.userId,
          origin.ip.slice(0, 64),
          origin.userAgent.replaceAll('\0', '').slice(0, 400),
          expiresAt,
          hashToken(token),
          name,
          scopes,
          token.slice(-4),
        ],
      );
      const details = { name, scopes };
      const target = `api_token:${row.id}`;
      await this.audit.record({ action: 'api_token.created', actor: viewer, target, details }, tx);
      return row;
    });
    return { record, token };
  }

  /** The viewer's live ones, newest first. */
  async list({ userId }: Principal): Promise<ApiTokenRecord[]> {
    return this.dataSource.query<ApiTokenRecord[]>(
      `SELECT ${COLUMNS} FROM api_tokens t JOIN sessions s ON s.id = t.session_id
       WHERE t.user_id = $1 AND s.revoked_at IS NULL AND s.absolute_expires_at > now() ORDER BY t.id DESC`,
      [userId],
    );
  }

  /** Every replica refuses it at once. @throws NotFoundError for one that is not the viewer's */
  async revoke(viewer: Principal, id: number): Promise<void> {
    const sessionId = await this.dataSource.transaction(async (tx) => {
      const [[row]] = await tx.query<[{ session_id: string }[], number]>(
        `UPDATE sessions s SET revoked_at = now() FROM api_tokens t
         WHERE t.id = $1 AND t.user_id = $2 AND s.id = t.session_id AND s.revoked_at IS NULL
         RETURNING t.session_id`,
        [id, viewer.userId],
      );
      if (!row) throw new NotFoundError();
      await this.audit.record({ action: 'api_token.revoked', actor: viewer, target: `api_token:${id}` }, tx);
      return row.session_id;
    });
    this.principals.announce({ sessionId });
  }
}
