import { AuditLog } from '@app/audit';
import { ConflictError, ForbiddenError, InvalidRequestError } from '@app/common';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { requireHonest } from '../organizations/organization-name.js';
import type { Principal } from '../principal/principal.js';
import { DomainProof, type ProofRecord, type ProvenCredentials } from './domain-proof.js';
import { isPublicMailDomain, organizationNameOf, parseDomain } from './domains.js';
import { secretOf } from './sso-credentials.js';
import { SsoSettings } from './sso-settings.js';
import { SsoSetupTokens } from './sso-setup-tokens.js';

export interface NewCredentials extends ProvenCredentials {
  organizationName: string | null;
  /** Handed out by an operator for the domain. */
  setupToken: string | null;
}

/** By what somebody may speak for the domain. */
type Leave = { by: 'staff'; staff: Principal } | { by: 'token'; token: string } | { by: 'dns'; record: ProofRecord };

type Organization = { id: number; name: string; configured: boolean };

const configured = () =>
  new ConflictError('Single sign-on is already set up for this domain.', { code: 'credentials_already_configured' });

/** A narrow token of a staff account is not the person. */
const isStaffInPerson = (viewer: Principal | null): viewer is Principal =>
  viewer !== null && viewer.isStaff && viewer.scopes === null && viewer.audience === undefined;

/**
 * The first set-up of an organisation's sign-in, once per domain (docs/contract/accounts.md#single-sign-on): by
 * staff, with a token of an
 * operator, or, where `SSO_DOMAIN_PROOF` is on, by whoever proves the domain. Each of them vouches for the domain.
 */
@Injectable()
export class SsoSetup {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly audit: AuditLog,
    private readonly proof: DomainProof,
    private readonly tokens: SsoSetupTokens,
    private readonly settings: SsoSettings,
  ) {}

  /**
   * Keeps the credentials, and makes the organisation when it is missing.
   * @param viewer null when nobody is signed in
   * @throws InvalidRequestError for what is no domain, or one of a public mail service; ValidationError
   *   (`organization_name`) for a name that misleads
   * @throws ConflictError `credentials_already_configured`; they are never overwritten here
   * @throws ForbiddenError `domain_not_verified`, with the DNS record that would prove it; `setup_token_required`;
   *   `invalid_setup_token`
   */
  async configure(
    given: NewCredentials,
    viewer: Principal | null,
  ): Promise<{ domain: string; organizationName: string }> {
    const domain = parseDomain(given.domain);
    if (!domain) throw new InvalidRequestError('Enter a valid domain.', { code: 'invalid_domain' });
    if (isPublicMailDomain(domain))
      throw new InvalidRequestError('Everybody can have an address of this domain; it is no organisation.', {
        code: 'public_mail_domain',
      });
    if (given.organizationName !== null) requireHonest(given.organizationName, 'organization_name');
    const known = await this.find(domain, this.dataSource.manager);
    if (known?.configured) throw configured();
    const parsed = { ...given, domain };
    const leave = await this.leaveOf(parsed, viewer);
    const name = given.organizationName ?? organizationNameOf(domain);
    const organizationName = await this.dataSource.transaction((tx) => this.store(parsed, name, leave, tx));
    return { domain, organizationName };
  }

  /** Null where there is none yet, and for what is no domain. */
  async findOrganization(domain: string): Promise<number | null> {
    const parsed = parseDomain(domain);
    const known = parsed ? await this.find(parsed, this.dataSource.manager) : null;
    return known?.id ?? null;
  }

  private async leaveOf(given: NewCredentials, viewer: Principal | null): Promise<Leave> {
    if (isStaffInPerson(viewer)) return { by: 'staff', staff: viewer };
    if (given.setupToken !== null) return { by: 'token', token: given.setupToken };
    if (!this.settings.domainProof)
      throw new ForbiddenError(
        'Only staff may set up single sign-on here, or who has a set-up token: an operator makes one with "npm run admin -- sso setup-token".',
        { code: 'setup_token_required' },
      );
    // Also for a domain that is proved: that somebody proved it once says nothing of who asks now.
    const record = await this.proof.recordFor(given);
    if (await this.proof.stands(record)) return { by: 'dns', record };
    throw notVerified(record);
  }

  private async useUp(leave: Leave, given: NewCredentials, tx: EntityManager): Promise<void> {
    if (leave.by === 'token' && !(await this.tokens.useUp(leave.token, given.domain, tx)))
      throw new ForbiddenError('This set-up token is unknown, used, expired, or good for another domain.', {
        code: 'invalid_setup_token',
      });
    if (leave.by === 'dns' && !(await this.proof.useUp(leave.record, given, tx))) throw configured();
  }

  private async find(domain: string, tx: EntityManager): Promise<Organization | null> {
    const [row] = await tx.query<Organization[]>(
      `SELECT o.id, o.name, s.organization_id IS NOT NULL AS configured
       FROM organizations o LEFT JOIN organization_sso s ON s.organization_id = o.id WHERE o.domain = $1`,
      [domain],
    );
    return row ?? null;
  }

  private async store(given: NewCredentials, name: string, leave: Leave, tx: EntityManager): Promise<string> {
    const { domain, clientId, clientSecret } = given;
    await this.useUp(leave, given, tx);
    const target = `organization:${domain}`;
    const made = await tx.query<unknown[]>(
      'INSERT INTO organizations (name, domain) VALUES ($1, $2) ON CONFLICT (domain) WHERE domain IS NOT NULL DO NOTHING RETURNING id',
      [name, domain],
    );
    const [[organization]] = await tx.query<[[Pick<Organization, 'id' | 'name'>], number]>(
      'UPDATE organizations SET domain_verified = true WHERE domain = $1 RETURNING id, name',
      [domain],
    );
    const kept = await tx.query<unknown[]>(
      `INSERT INTO organization_sso (organization_id, client_id, client_secret_sealed) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING organization_id`,
      [organization.id, clientId, this.sealing.seal(clientSecret, secretOf(organization.id))],
    );
    if (kept.length === 0) throw configured();
    const actor = leave.by === 'staff' ? { userId: leave.staff.userId, username: leave.staff.username } : null;
    if (made.length > 0) await this.audit.record({ action: 'organization.created', actor, target }, tx);
    const details = { client_id: clientId, by: leave.by };
    await this.audit.record({ action: 'sso.configured', actor, target, details }, tx);
    return organization.name;
  }
}

function notVerified(record: ProofRecord): ForbiddenError {
  return new ForbiddenError(
    `Prove that the domain is yours: publish the DNS record ${record.name} ${record.type} "${record.value}", and try again with the same client.`,
    { code: 'domain_not_verified', extra: { dns_record: record } },
  );
}
