import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { TransportKind } from '../client/mcp-session.js';
import type { AuthType } from './server-draft.js';
import { serverNotFound } from './stored-server.js';

/** A server as its owner sees it. */
export interface ServerRecord {
  id: number;
  userId: number;
  label: string;
  slug: string;
  url: string;
  authType: AuthType;
  authHeaderName: string;
  hasSecret: boolean;
  enabled: boolean;
  status: 'untested' | 'ok' | 'error' | 'needs_reauth';
  lastOkAt: Date | null;
  lastError: string;
  toolNames: string[];
  /** Tools that wait for their owner, because they are new or have changed. */
  toolsWaiting: number;
  toolsNote: string;
  grantedScopes: string;
  /** Separated by blanks: what was granted and what the server asked for beyond it; empty when it did not. */
  requiredScopes: string;
  tokenExpiresAt: Date | null;
  oauthProvider: string | null;
  version: number;
  transport: TransportKind | null;
  protocolVersion: string;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `s.id, s.user_id AS "userId", s.label, s.slug, s.url, s.auth_type AS "authType",
  s.auth_header_name AS "authHeaderName", s.secret_sealed IS NOT NULL AS "hasSecret", s.enabled, s.status,
  s.last_ok_at AS "lastOkAt", s.last_error AS "lastError", s.tools_note AS "toolsNote",
  s.granted_scopes AS "grantedScopes",
  coalesce((SELECT g.required_scopes FROM mcp_oauth_grants g WHERE g.server_id = s.id), '') AS "requiredScopes",
  s.token_expires_at AS "tokenExpiresAt", s.oauth_provider AS "oauthProvider",
  s.version, s.transport, s.protocol_version AS "protocolVersion", s.created_at AS "createdAt",
  s.updated_at AS "updatedAt", t.names AS "toolNames", t.waiting AS "toolsWaiting"`;

const FROM = `mcp_servers s CROSS JOIN LATERAL (
  SELECT coalesce(array_agg(t.name ORDER BY t.position, t.name), '{}') AS names,
    count(*) FILTER (WHERE t.enabled AND t.accepted_hash IS DISTINCT FROM t.definition_hash)::int AS waiting
  FROM mcp_tools t WHERE t.server_id = s.id) t`;

/** Servers as their owner sees them. */
@Injectable()
export class ServerRecords {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  async list(userId: number): Promise<ServerRecord[]> {
    return this.dataSource.query<ServerRecord[]>(
      `SELECT ${COLUMNS} FROM ${FROM} WHERE s.user_id = $1 ORDER BY s.created_at DESC, s.id DESC`,
      [userId],
    );
  }

  /** @throws NotFoundError for one that is not the user's */
  async get(userId: number, id: number, tx: EntityManager = this.dataSource.manager): Promise<ServerRecord> {
    const [row] = await tx.query<ServerRecord[]>(`SELECT ${COLUMNS} FROM ${FROM} WHERE s.id = $2 AND s.user_id = $1`, [
      userId,
      id,
    ]);
    if (!row) throw serverNotFound();
    return row;
  }
}
