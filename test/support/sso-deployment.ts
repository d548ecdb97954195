import { type Answer, startApi, type TestApi } from './api.js';
import { Browser } from './browser.js';
import { HttpClient } from './http-client.js';
import { setupToken } from './sso-setup-token.js';
import { type Issuer, type Person, startIssuer } from './oidc.js';

export const ORG = '/api/v1/auth/sso_org';
export const PLATFORM = '/api/v1/auth/sso_platform';
export const SECRETS = { acme: 'acme-s3cret-0123456789', blue: 'blue-s3cret-0123456789', all: 'all-s3cret-0123456789' };

export interface SignedIn {
  auth_token: string;
  id_token: string;
  encryption_key?: string;
  user: { id: number; email: string; organization: string; username: string; auth_methods: Record<string, unknown> };
}

export const redirectUri = (provider: string) => `http://web.test/auth/${provider}/callback`;
export const authorizeAt = (provider: string, domain = 'acme.example') =>
  provider === ORG ? `${ORG}/authorize/?domain=${domain}` : `${PLATFORM}/authorize/`;

let people = 0;

/** An api with two organisations, Acme at one issuer, Blue Hill at another, where the platform's client is too. */
export class SsoDeployment {
  private constructor(
    readonly api: TestApi,
    /** Of Acme's organisation. */
    readonly first: Issuer,
    /** Of Blue Hill's organisation, and of the platform. */
    readonly second: Issuer,
  ) {}

  static async start(): Promise<SsoDeployment> {
    const auth = 'client_secret_basic';
    const org = redirectUri('sso_org');
    const first = await startIssuer([{ clientId: 'acme', clientSecret: SECRETS.acme, redirectUri: org }]);
    const second = await startIssuer([
      { clientId: 'blue', clientSecret: SECRETS.blue, redirectUri: org, auth },
      { clientId: 'all', clientSecret: SECRETS.all, redirectUri: redirectUri('sso_platform'), auth },
    ]);
    const api = await startApi({
      SSO_ALLOW_HTTP: 'true',
      SSO_ORG_ISSUER: first.url,
      SSO_PLATFORM_ISSUER: second.url,
      SSO_PLATFORM_CLIENT_ID: 'all',
      SSO_PLATFORM_CLIENT_SECRET: SECRETS.all,
      CORS_ORIGINS: 'http://web.test',
      SSO_REDIRECT_PATHS: '/,/boards/*',
      LOG_LEVEL: 'fatal',
    });
    const deployment = new SsoDeployment(api, first, second);
    await deployment.configure('acme.example', 'acme', SECRETS.acme, { organization_name: 'Acme Ltd' });
    await deployment.configure('blue-hill.example', 'blue', SECRETS.blue);
    await deployment.sql(`UPDATE organization_sso SET issuer = $1 WHERE client_id = 'blue'`, [second.url]);
    return deployment;
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await this.first.stop();
    await this.second.stop();
  }

  sql<T extends Record<string, unknown>>(query: string, values: unknown[] = []): Promise<T[]> {
    return this.api.database.dataSource.query<T[]>(query, values);
  }

  browser(accessToken: string | null = null): Browser {
    return new Browser(this.api.baseUrl, accessToken);
  }

  async configure(domain: string, clientId: string, clientSecret: string, more: object = {}): Promise<Answer> {
    const setup_token = await setupToken(this.api, domain);
    const credentials = { domain, client_id: clientId, client_secret: clientSecret, setup_token };
    return this.browser().post(`${ORG}/setup-credentials/`, { ...credentials, ...more });
  }

  /** Somebody whom an issuer knows by a new name; the subject is `subject-<name>` unless told. */
  person(issuer: Issuer, domain: string, claims: Partial<Person> = {}): string {
    const name = `p${(people += 1)}`;
    issuer.people.set(name, { sub: `subject-${name}`, email: `${name}@${domain}`, email_verified: true, ...claims });
    return name;
  }

  async signIn(provider: string, who: string, domain?: string): Promise<Answer> {
    const at = this.browser();
    return at.post(`${provider}/callback/`, await at.goAndReturn(authorizeAt(provider, domain), who));
  }

  async signedIn(provider: string, who: string, domain?: string): Promise<SignedIn> {
    const answer = await this.signIn(provider, who, domain);
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as SignedIn;
  }

  /** An account with a password, whose address is confirmed unless told. */
  async register(email: string, confirmed = true): Promise<HttpClient> {
    const client = await HttpClient.signUp(this.api.baseUrl);
    await this.sql('UPDATE users SET email = $2, email_verified = $3 WHERE username = $1', [
      client.username,
      email,
      confirmed,
    ]);
    return client;
  }

  /** A signed-in browser that has verified somebody at a provider. */
  async verified(client: HttpClient, provider: string, who: string): Promise<[Browser, Answer]> {
    const at = this.browser(client.token);
    const back = await at.goAndReturn(authorizeAt(provider), who);
    return [at, await at.post(`${provider}/link-exchange/`, back)];
  }
}

export async function idOf(client: HttpClient): Promise<number> {
  return (await client.get<{ info: { id: number } }>('/users/me/')).info.id;
}
