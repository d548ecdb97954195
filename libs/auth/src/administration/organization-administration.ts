import { type AuditAction, AuditLog } from '@app/audit';
import { ConflictError, InvalidRequestError, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { LONGEST_ORGANIZATION_NAME, requireHonest } from '../organizations/organization-name.js';
import { isPublicMailDomain, parseDomain } from '../sso/domains.js';

export interface OrganizationSummary {
  id: number;
  name: string;
  domain: string | null;
  domainVerified: boolean;
  members: number;
  seatLimit: number | null;
  /** Whether single sign-on is set up. */
  sso: boolean;
  issuer: string | null;
}

const SELECT = `
  SELECT o.id, o.name, o.domain, o.domain_verified AS "domainVerified", o.seat_limit AS "seatLimit",
         (SELECT count(*) FROM users u WHERE u.organization_id = o.id AND u.is_active)::int AS members,
         s.organization_id IS NOT NULL AS sso, s.issuer
  FROM organizations o LEFT JOIN organization_sso s ON s.organization_id = o.id`;

/** What operators do with organisations from a terminal; all of it is audited. */
@Injectable()
export class OrganizationAdministration {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    private readonly principals: CachedPrincipals,
  ) {}

  /** Shared ones, by name. @param search part of a name or a domain */
  async list(search: string, limit: number): Promise<OrganizationSummary[]> {
    return this.dataSource.query<OrganizationSummary[]>(
      `${SELECT} WHERE NOT o.personal
         AND ($1 = '' OR strpos(lower(o.name), lower($1)) > 0 OR strpos(o.domain, lower($1)) > 0)
       ORDER BY o.name, o.id LIMIT $2`,
      [search, limit],
    );
  }

  /** @param key number or domain. @throws NotFoundError */
  async get(key: string): Promise<OrganizationSummary> {
    const [row] = await this.dataSource.query<OrganizationSummary[]>(
      `${SELECT} WHERE NOT o.personal AND (o.id::text = $1 OR o.domain = lower($1))`,
      [key],
    );
    if (!row) throw new NotFoundError(`There is no organization "${key}".`);
    return row;
  }

  /** @throws InvalidRequestError, ConflictError */
  async create(givenName: string, given: string | null, seatLimit: number | null): Promise<OrganizationSummary> {
    const name = givenName.trim();
    if (name === '' || name.length > LONGEST_ORGANIZATION_NAME)
      throw new InvalidRequestError(`A name has 1 to ${LONGEST_ORGANIZATION_NAME} characters.`, {
        code: 'invalid_name',
      });
    requireHonest(name);
    const domain = given === null ? null : parseDomain(given);
    if (given !== null && !domain) throw new InvalidRequestError('Enter a valid domain.', { code: 'invalid_domain' });
    // Everybody who registers with an address of the domain would be one of its people.
    if (domain && isPublicMailDomain(domain))
      throw new InvalidRequestError('Everybody can have an address of this domain; it is no organisation.', {
        code: 'public_mail_domain',
      });
    const id = await this.dataSource.transaction(async (tx) => {
      const [row] = await tx.query<{ id: number }[]>(
        `INSERT INTO organizations (name, domain, seat_limit) VALUES ($1, $2, $3)
         ON CONFLICT (domain) WHERE domain IS NOT NULL DO NOTHING RETURNING id`,
        [name, domain, seatLimit],
      );
      if (!row) throw new ConflictError('An organization has this domain already.', { code: 'domain_taken' });
      await this.record('organization.created', row.id, { name, domain, seatLimit }, tx);
      return row.id;
    });
    return this.get(String(id));
  }

  /** @param seatLimit null for any number; those above it stay, nobody else comes in */
  setSeats(key: string, seatLimit: number | null): Promise<OrganizationSummary> {
    return this.change(key, { seatLimit }, 'UPDATE organizations SET seat_limit = $2 WHERE id = $1', seatLimit);
  }

  verifyDomain(key: string): Promise<OrganizationSummary> {
    const sql = 'UPDATE organizations SET domain_verified = $2 WHERE id = $1 AND domain IS NOT NULL';
    return this.change(key, { domainVerified: true }, sql, true);
  }

  /** @param issuer null for the deployment's own. @throws InvalidRequestError before single sign-on is set up */
  setIssuer(key: string, issuer: string | null): Promise<OrganizationSummary> {
    if (issuer !== null && !URL.canParse(issuer))
      throw new InvalidRequestError('The issuer must be an address.', { code: 'invalid_issuer' });
    const sql = 'UPDATE organization_sso SET issuer = $2, updated_at = now() WHERE organization_id = $1';
    return this.change(key, { issuer }, sql, issuer);
  }

  /** A member of it, whatever others are. @throws NotFoundError */
  async addOwner(key: string, login: string): Promise<{ organization: string; user: string; role: 'owner' }> {
    const { id, name } = await this.get(key);
    const found = await this.dataSource.transaction(async (tx) => {
      await tx.query('SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE', [id]);
      const [rows] = await tx.query<[{ id: number; username: string }[], number]>(
        `UPDATE users SET organization_role = 'owner' WHERE organization_id = $1 AND id = (
           SELECT id FROM users WHERE organization_id = $1
             AND (username = $2 OR lower(email) = lower($2) OR id::text = $2)
           ORDER BY (username = $2) DESC, (lower(email) = lower($2)) DESC LIMIT 1)
         RETURNING id, username`,
        [id, login],
      );
      const user = rows[0];
      if (!user) throw new NotFoundError(`"${login}" is not in the organization "${name}".`);
      const details = { to: 'owner', by: 'terminal' };
      await this.audit.record(
        {
          action: 'organization.role_changed',
          actor: null,
          subjectId: user.id,
          target: `user:${user.id}`,
          details,
          organizationId: id,
        },
        tx,
      );
      return user;
    });
    this.principals.announce({ userId: found.id });
    return { organization: name, user: found.username, role: 'owner' };
  }

  private async change(key: string, details: object, sql: string, value: unknown): Promise<OrganizationSummary> {
    const { id } = await this.get(key);
    await this.dataSource.transaction(async (tx) => {
      const [, count] = await tx.query<[unknown, number]>(sql, [id, value]);
      if (count === 0)
        throw new InvalidRequestError('The organization has no domain, or no single sign-on, to change.', {
          code: 'not_applicable',
        });
      await this.record('organization.updated', id, details, tx);
    });
    return this.get(String(id));
  }

  private record(action: AuditAction, id: number, details: object, tx: EntityManager): Promise<void> {
    const target = `organization:${id}`;
    return this.audit.record(
      { action, actor: null, target, details: { ...details, by: 'terminal' }, organizationId: id },
      tx,
    );
  }
}
