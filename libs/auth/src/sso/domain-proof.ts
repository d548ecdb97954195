import { createHmac, randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { SsoSettings } from './sso-settings.js';

const LOOKUP_MS = 2000;
/** Who administers a zone is seldom who sets the sign-in up. */
const CHALLENGE_DAYS = 14;

/** The DNS record that proves a domain to belong to those who registered an application for it. */
export interface ProofRecord {
  name: string;
  type: 'TXT';
  value: string;
}

/** What is to be set up. */
export interface ProvenCredentials {
  domain: string;
  clientId: string;
  clientSecret: string;
}

export function newResolver(): Resolver {
  return new Resolver({ timeout: LOOKUP_MS, tries: 1 });
}

/**
 * Proofs of domains. The record binds this deployment's address and the very credentials by a nonce that is used once:
 * what was published for another deployment or for an earlier tenant proves nothing, and who reads the record in DNS
 * can set nothing else up with it.
 */
@Injectable()
export class DomainProof {
  constructor(
    private readonly resolver: Resolver,
    private readonly settings: SsoSettings,
    private readonly dataSource: DataSource,
  ) {}

  /** The record to publish; the same one for fourteen days, until it has proved the domain. */
  async recordFor(given: ProvenCredentials): Promise<ProofRecord> {
    const [row] = await this.dataSource.query<[{ nonce: Buffer }]>(
      `INSERT INTO sso_domain_challenges AS c (domain, nonce, expires_at) VALUES ($1, $2, now() + make_interval(days => $3))
       ON CONFLICT (domain) DO UPDATE SET
         nonce = CASE WHEN c.expires_at > now() THEN c.nonce ELSE excluded.nonce END,
         expires_at = CASE WHEN c.expires_at > now() THEN c.expires_at ELSE excluded.expires_at END
       RETURNING nonce`,
      [given.domain, randomBytes(32), CHALLENGE_DAYS],
    );
    return this.recordWith(row.nonce, given);
  }

  /** Whether the record stands in DNS; a look-up that fails or takes too long is no proof. */
  async stands({ name, value }: ProofRecord): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    // With several name servers the resolver tries one after the other.
    const tooLate = new Promise<string[][]>((resolve) => {
      timer = setTimeout(() => resolve([]), 2 * LOOKUP_MS);
    });
    try {
      const records = await Promise.race([this.resolver.resolveTxt(name).catch(() => []), tooLate]);
      return records.some((chunks) => chunks.join('') === value);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @returns whether the record's nonce was still good; it is not any more */
  async useUp({ value }: ProofRecord, given: ProvenCredentials, tx: EntityManager): Promise<boolean> {
    const [[row]] = await tx.query<[{ nonce: Buffer; fresh: boolean }[], number]>(
      'DELETE FROM sso_domain_challenges WHERE domain = $1 RETURNING nonce, expires_at > now() AS fresh',
      [given.domain],
    );
    return row !== undefined && row.fresh && this.recordWith(row.nonce, given).value === value;
  }

  async purge(): Promise<void> {
    await this.dataSource.query('DELETE FROM sso_domain_challenges WHERE expires_at < now()');
  }

  private recordWith(nonce: Buffer, { domain, clientId, clientSecret }: ProvenCredentials): ProofRecord {
    const bound = JSON.stringify([this.settings.deployment, domain, clientId, clientSecret]);
    const value = `atrium-domain-proof=${createHmac('sha256', nonce).update(bound).digest('base64url')}`;
    return { name: `_atrium-challenge.${domain}`, type: 'TXT', value };
  }
}
