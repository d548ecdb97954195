import { AuditLog } from '@app/audit';
import { hashToken, InvalidRequestError, newId, newToken } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isPublicMailDomain, parseDomain } from './domains.js';

export interface NewSetupToken {
  /** Shown once, and kept as a digest only. */
  token: string;
  domain: string;
  expiresAt: Date;
}

/** Leaves to set the sign-in of one domain up, which an operator hands to its people: used once, and soon. */
@Injectable()
export class SsoSetupTokens {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** @throws InvalidRequestError for what is no domain, or one of a public mail service */
  async create(text: string, hours: number, by: string): Promise<NewSetupToken> {
    const domain = parseDomain(text);
    if (!domain || isPublicMailDomain(domain))
      throw new InvalidRequestError('Name the domain of one organization.', { code: 'invalid_domain' });
    const token = `sso_${newToken()}`;
    return this.dataSource.transaction(async (tx) => {
      const [row] = await tx.query<[{ expires_at: Date }]>(
        `INSERT INTO sso_setup_tokens (id, token_hash, domain, expires_at)
         VALUES ($1, $2, $3, now() + make_interval(hours => $4)) RETURNING expires_at`,
        [newId(), hashToken(token), domain, hours],
      );
      const target = `organization:${domain}`;
      await this.audit.record({ action: 'sso.setup_token_created', actor: null, target, details: { hours, by } }, tx);
      return { token, domain, expiresAt: row.expires_at };
    });
  }

  /** @returns whether it was good for this domain; it is used up with the caller's transaction */
  async useUp(token: string, domain: string, tx: EntityManager): Promise<boolean> {
    const [, count] = await tx.query<[unknown, number]>(
      'DELETE FROM sso_setup_tokens WHERE token_hash = $1 AND domain = $2 AND expires_at > now()',
      [hashToken(token), domain],
    );
    return count > 0;
  }

  async purge(): Promise<void> {
    await this.dataSource.query('DELETE FROM sso_setup_tokens WHERE expires_at < now()');
  }
}
