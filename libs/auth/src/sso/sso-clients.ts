import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { OidcApplication } from './oidc/oidc-client.js';
import { secretOf } from './sso-credentials.js';
import { type SsoProvider, SsoSettings } from './sso-settings.js';

export interface SsoOrganization {
  id: number;
  name: string;
  domain: string;
  /** Whether addresses of the domain may be taken as the organisation's people: proved, or an operator vouches. */
  domainTrusted: boolean;
}

/** Where people of an organisation, or all people, sign in. */
export interface SsoClient extends OidcApplication {
  provider: SsoProvider;
  /** Null for the platform's client. */
  organization: SsoOrganization | null;
}

/** The organisation registered its application, but neither it nor the deployment names an issuer. */
export const NO_ISSUER = Symbol('no issuer');

type Row = {
  organization_id: number;
  name: string;
  domain: string;
  domain_verified: boolean;
  issuer: string | null;
  client_id: string;
  client_secret_sealed: Buffer;
};

const FIND = `
  SELECT s.organization_id, o.name, o.domain, o.domain_verified, s.issuer, s.client_id, s.client_secret_sealed
  FROM organization_sso s JOIN organizations o ON o.id = s.organization_id
  WHERE o.domain IS NOT NULL AND `;

/** The applications that this deployment signs people in with. */
@Injectable()
export class SsoClients {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly settings: SsoSettings,
  ) {}

  findPlatform(): SsoClient | null {
    const { platform } = this.settings;
    const redirectUri = this.settings.redirectUri('sso_platform');
    return platform && { ...platform, provider: 'sso_platform', organization: null, redirectUri };
  }

  /** @returns null when the organisation has no credentials, or there is none */
  async findByDomain(domain: string): Promise<SsoClient | typeof NO_ISSUER | null> {
    return this.toClient(await this.dataSource.query<Row[]>(`${FIND} o.domain = $1`, [domain]));
  }

  async findByOrganization(organizationId: number): Promise<SsoClient | typeof NO_ISSUER | null> {
    return this.toClient(await this.dataSource.query<Row[]>(`${FIND} o.id = $1`, [organizationId]));
  }

  private toClient([row]: Row[]): SsoClient | typeof NO_ISSUER | null {
    if (!row) return null;
    const issuer = row.issuer ?? this.settings.orgIssuer;
    if (!issuer) return NO_ISSUER;
    const { organization_id: id, name, domain } = row;
    return {
      provider: 'sso_org',
      issuer,
      clientId: row.client_id,
      clientSecret: this.sealing.openText(row.client_secret_sealed, secretOf(row.organization_id)),
      redirectUri: this.settings.redirectUri('sso_org'),
      organization: { id, name, domain, domainTrusted: row.domain_verified },
    };
  }
}
