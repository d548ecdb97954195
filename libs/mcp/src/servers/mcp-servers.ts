import { AuditLog } from '@app/audit';
import { InvalidRequestError } from '@app/common';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { McpOAuthTokens } from '../client/authorization.js';
import { McpConnector } from '../client/mcp-connector.js';
import { SessionPool } from '../client/session-pool.js';
import { checkHeaderName, checkLabel, checkSecret, checkUrl, type ServerDraft } from './server-draft.js';
import { type ServerRecord, ServerRecords } from './server-records.js';
import { slugFor } from './server-slug.js';
import { secretPlace } from './stored-server.js';

export interface Actor {
  userId: number;
  username: string;
}

const MAX_SERVERS = 10;
/** With the account's number: two requests cannot both make the tenth, nor the same slug. */
const LOCK = 0x6d637073;

/** The tool servers that a user connects (docs/contract/mcp.md#tool-servers). */
@Injectable()
export class McpServers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly records: ServerRecords,
    private readonly connector: McpConnector,
    private readonly pool: SessionPool,
    private readonly tokens: McpOAuthTokens,
    private readonly sealing: SealingService,
    private readonly audit: AuditLog,
  ) {}

  /** @throws InvalidRequestError (`mcp_limit_reached` and those of the fields) */
  async create(actor: Actor, draft: ServerDraft): Promise<ServerRecord> {
    const label = checkLabel(draft.label);
    const url = await checkUrl(draft.url, this.connector.guard);
    const { authType = 'none', enabled = true } = draft;
    const headerName = checkHeaderName(draft.authHeaderName, authType);
    const given = checkSecret(draft.secret ?? '');
    const secret = authType === 'bearer' || authType === 'header' ? given : null;
    return this.dataSource.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK, actor.userId]);
      const rows = await tx.query<{ slug: string }[]>('SELECT slug FROM mcp_servers WHERE user_id = $1', [
        actor.userId,
      ]);
      if (rows.length >= MAX_SERVERS)
        throw new InvalidRequestError(`An account has at most ${MAX_SERVERS} tool servers.`, {
          code: 'mcp_limit_reached',
        });
      const slug = slugFor(label, new Set(rows.map((row) => row.slug)));
      const status = authType === 'oauth' ? 'needs_reauth' : 'untested';
      const [{ id }] = await tx.query<[{ id: number }]>(
        `INSERT INTO mcp_servers (user_id, label, slug, url, auth_type, auth_header_name, enabled, status)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
        [actor.userId, label, slug, url, authType, headerName, enabled, status],
      );
      if (secret !== null)
        await tx.query('UPDATE mcp_servers SET secret_sealed = $2 WHERE id = $1', [id, this.seal(id, secret)]);
      await this.note('mcp_server.created', actor, id, { auth_type: authType, host: new URL(url).host }, tx);
      return this.records.get(actor.userId, id, tx);
    });
  }

  /**
   * What is absent stays. With another url the stored secret is erased unless a new one comes along: it was not given
   * for that address. Changes of url, auth_type, auth_header_name or secret make what a test found void.
   * @throws NotFoundError, InvalidRequestError
   */
  async update(actor: Actor, id: number, draft: ServerDraft): Promise<ServerRecord> {
    const known = await this.records.get(actor.userId, id);
    const label = draft.label === undefined ? null : checkLabel(draft.label);
    const url = draft.url === undefined ? known.url : await checkUrl(draft.url, this.connector.guard);
    const { authType = known.authType, enabled = null } = draft;
    const headerName = checkHeaderName(draft.authHeaderName ?? known.authHeaderName, authType);
    const given = draft.secret === undefined ? undefined : checkSecret(draft.secret);
    const isElsewhere = url !== known.url;
    const isOtherProof = authType !== known.authType || headerName !== known.authHeaderName || given !== undefined;
    // Before the address changes: a grant must never be at hand for an address that it was not made for.
    if (known.authType === 'oauth' && (isElsewhere || authType !== 'oauth'))
      await this.tokens.revoke({ id, userId: actor.userId });
    const takesSecret = authType === 'bearer' || authType === 'header';
    const secret = !takesSecret || (given === undefined && isElsewhere) ? null : given;
    const updated = await this.dataSource.transaction(async (tx) => {
      const [, count] = await tx.query<[unknown, number]>(
        `UPDATE mcp_servers SET label = coalesce($3, label), enabled = coalesce($4, enabled), updated_at = now()
         WHERE id = $2 AND user_id = $1 AND version = $5`,
        [actor.userId, id, label, enabled, known.version],
      );
      if (count === 0) return null;
      if (isElsewhere || isOtherProof) {
        await tx.query(
          `UPDATE mcp_servers SET url = $2, auth_type = $3, auth_header_name = $4,
             secret_sealed = CASE WHEN $5 THEN secret_sealed ELSE $6::bytea END,
             status = CASE WHEN $3 = 'oauth' THEN 'needs_reauth' ELSE 'untested' END, last_error = '', failed_at = '{}',
             version = version + 1, transport = CASE WHEN $7 THEN NULL ELSE transport END,
             tools_listed_at = CASE WHEN $7 THEN NULL ELSE tools_listed_at END, tools_stale = false,
             granted_scopes = CASE WHEN $8 THEN '' ELSE granted_scopes END,
             token_expires_at = CASE WHEN $8 THEN NULL ELSE token_expires_at END,
             oauth_provider = CASE WHEN $8 THEN NULL ELSE oauth_provider END
           WHERE id = $1`,
          [
            id,
            url,
            authType,
            headerName,
            secret === undefined,
            typeof secret === 'string' ? this.seal(id, secret) : null,
            isElsewhere,
            isElsewhere || authType !== known.authType,
          ],
        );
      }
      await this.note('mcp_server.updated', actor, id, { auth_type: authType, host: new URL(url).host }, tx);
      return this.records.get(actor.userId, id, tx);
    });
    // Somebody else changed it since it was read: what this means has to be thought over.
    if (updated === null) return this.update(actor, id, draft);
    if (isElsewhere || isOtherProof || enabled === false) this.pool.forget(id);
    return updated;
  }

  /** Revokes what was granted first: killed in between, the server is still there to be deleted. @throws NotFoundError */
  async delete(actor: Actor, id: number): Promise<void> {
    const { url, authType } = await this.records.get(actor.userId, id);
    if (authType === 'oauth') await this.tokens.revoke({ id, userId: actor.userId });
    await this.dataSource.transaction(async (tx) => {
      const [, count] = await tx.query<[unknown, number]>('DELETE FROM mcp_servers WHERE id = $1 AND user_id = $2', [
        id,
        actor.userId,
      ]);
      if (count > 0) await this.note('mcp_server.deleted', actor, id, { host: new URL(url).host }, tx);
    });
    this.pool.forget(id);
  }

  private seal(id: number, secret: string): Buffer {
    return this.sealing.seal(secret, secretPlace(id));
  }

  private async note(
    action: 'mcp_server.created' | 'mcp_server.updated' | 'mcp_server.deleted',
    actor: Actor,
    id: number,
    details: Record<string, unknown>,
    tx: EntityManager,
  ): Promise<void> {
    await this.audit.record({ action, actor, target: `mcp_server:${id}`, details }, tx);
  }
}
