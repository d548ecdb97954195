import { AuditLog } from '@app/audit';
import { hashToken, isUuid, newId, newToken, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A directory that calls, and the organisation whose accounts it keeps. */
export interface ScimClient {
  tokenId: string;
  tokenName: string;
  organizationId: number;
  /** Null for an organisation without a domain of its own. */
  domain: string | null;
  domainVerified: boolean;
}

export interface ScimTokenSummary {
  id: string;
  name: string;
  organizationId: number;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

type TokenRow = ScimClient & { seenLately: boolean };

/** The bearer tokens of directories. */
@Injectable()
export class ScimTokens {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** @returns the token, which is shown once and kept as a hash only */
  async create(organizationId: number, name: string, by: string): Promise<{ id: string; token: string }> {
    const [id, token] = [newId(), `scim_${newToken()}`];
    await this.dataSource.transaction(async (tx) => {
      await tx.query('INSERT INTO scim_tokens (id, organization_id, token_hash, name) VALUES ($1, $2, $3, $4)', [
        id,
        organizationId,
        hashToken(token),
        name,
      ]);
      const target = `organization:${organizationId}`;
      await this.audit.record({ action: 'scim.token_created', actor: null, target, details: { id, name, by } }, tx);
    });
    return { id, token };
  }

  async list(organizationId: number): Promise<ScimTokenSummary[]> {
    return this.dataSource.query<ScimTokenSummary[]>(
      `SELECT id, name, organization_id AS "organizationId", created_at AS "createdAt", last_used_at AS "lastUsedAt",
              revoked_at AS "revokedAt"
       FROM scim_tokens WHERE organization_id = $1 ORDER BY created_at, id`,
      [organizationId],
    );
  }

  /** @throws NotFoundError when there is no such token, or it is revoked already */
  async revoke(id: string, by: string): Promise<void> {
    const unknown = new NotFoundError('There is no such token, or it is revoked already.');
    if (!isUuid(id)) throw unknown;
    await this.dataSource.transaction(async (tx) => {
      const [[row]] = await tx.query<[{ organization_id: number; name: string }[], number]>(
        'UPDATE scim_tokens SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING organization_id, name',
        [id],
      );
      if (!row) throw unknown;
      const target = `organization:${row.organization_id}`;
      const details = { id, name: row.name, by };
      await this.audit.record({ action: 'scim.token_revoked', actor: null, target, details }, tx);
    });
  }

  /** @returns null for a token that is unknown or revoked */
  async resolve(token: string): Promise<ScimClient | null> {
    const [row] = await this.dataSource.query<TokenRow[]>(
      `SELECT t.id AS "tokenId", t.name AS "tokenName", o.id AS "organizationId", o.domain,
              o.domain_verified AS "domainVerified", t.last_used_at > now() - interval '1 minute' AS "seenLately"
       FROM scim_tokens t JOIN organizations o ON o.id = t.organization_id
       WHERE t.token_hash = $1 AND t.revoked_at IS NULL`,
      [hashToken(token)],
    );
    if (!row) return null;
    const { seenLately, ...client } = row;
    if (!seenLately)
      await this.dataSource.query('UPDATE scim_tokens SET last_used_at = now() WHERE id = $1', [client.tokenId]);
    return client;
  }
}
