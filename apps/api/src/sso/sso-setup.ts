import { AuditLog } from '@app/audit';
import { ConflictError, ForbiddenError, InvalidRequestError } from '@app/common';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DomainProof } from './domain-proof.js';
import { isPublicMailDomain, organizationNameOf, parseDomain } from './domains.js';
import { SsoSettings } from './sso-settings.js';

export interface NewCredentials {
  domain: string;
  clientId: string;
  clientSecret: string;
  organizationName: string | null;
}

type Organization = { id: number; name: string; domain_verified: boolean; configured: boolean };

const configured = () =>
  new ConflictError('Single sign-on is already set up for this domain.', { code: 'credentials_already_configured' });

/** The first set-up of an organisation's sign-in, which anybody may do once per domain (document 1, section 4.3). */
@Injectable()
export class SsoSetup {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly audit: AuditLog,
    private readonly proof: DomainProof,
    private readonly settings: SsoSettings,
  ) {}

  /**
   * Keeps the credentials, and makes the organisation when it is missing.
   * @throws InvalidRequestError for what is no domain, or one of a public mail service
   * @throws ConflictError `credentials_already_configured`; they are never overwritten here
   * @throws ForbiddenError `domain_not_verified`, with the DNS record that would prove it
   */
  async configure(given: NewCredentials): Promise<{ domain: string; organizationName: string }> {
    const domain = parseDomain(given.domain);
    if (!domain) throw new InvalidRequestError('Enter a valid domain.', { code: 'invalid_domain' });
    if (isPublicMailDomain(domain))
      throw new InvalidRequestError('Everybody can have an address of this domain; it is no organisation.', {
        code: 'public_mail_domain',
      });
    const known = await this.find(domain, this.dataSource.manager);
    if (known?.configured) throw configured();
    const provenNow = this.settings.domainProof && !known?.domain_verified;
    if (provenNow) await this.demandProof(domain, given.clientId);
    const name = given.organizationName ?? organizationNameOf(domain);
    const organizationName = await this.dataSource.transaction((tx) =>
      this.store({ ...given, domain }, name, provenNow, tx),
    );
    return { domain, organizationName };
  }

  private async demandProof(domain: string, clientId: string): Promise<void> {
    const record = this.proof.recordFor(domain, clientId);
    if (await this.proof.stands(record)) return;
    throw new ForbiddenError(
      `Prove that the domain is yours: publish the DNS record ${record.name} ${record.type} "${record.value}", and try again.`,
      { code: 'domain_not_verified', extra: { dns_record: record } },
    );
  }

  private async find(domain: string, tx: EntityManager): Promise<Organization | null> {
    const [row] = await tx.query<Organization[]>(
      `SELECT o.id, o.name, o.domain_verified, s.organization_id IS NOT NULL AS configured
       FROM organizations o LEFT JOIN organization_sso s ON s.organization_id = o.id WHERE o.domain = $1`,
      [domain],
    );
    return row ?? null;
  }

  private async store(given: NewCredentials, name: string, proven: boolean, tx: EntityManager): Promise<string> {
    const { domain, clientId, clientSecret } = given;
    const target = `organization:${domain}`;
    const made = await tx.query<unknown[]>(
      'INSERT INTO organizations (name, domain) VALUES ($1, $2) ON CONFLICT (domain) WHERE domain IS NOT NULL DO NOTHING RETURNING id',
      [name, domain],
    );
    const [[organization]] = await tx.query<[[Pick<Organization, 'id' | 'name'>], number]>(
      'UPDATE organizations SET domain_verified = domain_verified OR $2 WHERE domain = $1 RETURNING id, name',
      [domain, proven],
    );
    const place = { table: 'organization_sso', column: 'client_secret_sealed', row: organization.id };
    const kept = await tx.query<unknown[]>(
      `INSERT INTO organization_sso (organization_id, client_id, client_secret_sealed) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING organization_id`,
      [organization.id, clientId, this.sealing.seal(clientSecret, place)],
    );
    if (kept.length === 0) throw configured();
    if (made.length > 0) await this.audit.record({ action: 'organization.created', actor: null, target }, tx);
    const details = { client_id: clientId, domain_proven: proven };
    await this.audit.record({ action: 'sso.configured', actor: null, target, details }, tx);
    return organization.name;
  }
}
