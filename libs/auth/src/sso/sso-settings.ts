import type { AppConfig } from '@app/config';

export type SsoProvider = 'sso_org' | 'sso_platform';

export const SSO_PROVIDERS: readonly SsoProvider[] = ['sso_org', 'sso_platform'];

/** The settings of single sign-on with their defaults worked out. */
export class SsoSettings {
  readonly orgIssuer: string | undefined;
  /** Whether an organisation must prove its domain before strangers may act on it. */
  readonly domainProof: boolean;
  /** What proofs of domains are bound to: the address at which this deployment is reached. */
  readonly deployment: string;
  readonly allowHttp: boolean;
  readonly platform: { issuer: string; clientId: string; clientSecret: string } | null;
  private readonly redirectUris: Record<SsoProvider, string>;
  private readonly redirectPaths: readonly string[];

  constructor({ sso, http, deployment }: Pick<AppConfig, 'sso' | 'http' | 'deployment'>) {
    const webApp = http.corsOrigins[0] ?? http.publicUrl ?? `http://localhost:${http.port}`;
    const page = (provider: SsoProvider) => `${webApp.replace(/\/+$/, '')}/auth/${provider}/callback`;
    this.redirectUris = {
      sso_org: sso.orgRedirectUri ?? page('sso_org'),
      sso_platform: sso.platformRedirectUri ?? page('sso_platform'),
    };
    this.orgIssuer = sso.orgIssuer;
    this.domainProof = sso.domainProof ?? deployment.kind === 'hosted';
    this.deployment = http.publicUrl?.replace(/\/+$/, '') ?? '';
    this.allowHttp = sso.allowHttp;
    this.redirectPaths = sso.redirectPaths;
    const { platformIssuer: issuer, platformClientId: clientId, platformClientSecret: clientSecret } = sso;
    this.platform = issuer && clientId && clientSecret ? { issuer, clientId, clientSecret } : null;
  }

  redirectUri(provider: SsoProvider): string {
    return this.redirectUris[provider];
  }

  /** Whether a sign-in may go on at this path: of the web app, and listed. */
  allowsRedirect(path: string): boolean {
    // A browser reads `//host` and `/\host` as another site's address.
    if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(path) || path.includes('\\')) return false;
    const resolved = new URL(path, 'https://web.invalid');
    const given = resolved.pathname;
    return (
      resolved.origin === 'https://web.invalid' &&
      this.redirectPaths.some((listed) =>
        listed.endsWith('*') ? given.startsWith(listed.slice(0, -1)) : given === listed,
      )
    );
  }
}
