import { hash } from 'node:crypto';
import type { AppConfig } from '@app/config';

/** An application that an administrator registered by hand. */
export interface PreregisteredClient {
  clientId: string;
  /** Null: a public client. */
  clientSecret: string | null;
  /** Hosts of tool servers for which its tokens are meant; a name is good for each of its ports. */
  resourceHosts: readonly string[];
  /** Where it was registered to lead back to. */
  redirectUri: string;
}

const CLIENT_METADATA_PATH = '/mcp-servers/oauth/client-metadata';
const KEY = /^[\w-]{22}$/;

/** How this deployment presents itself to the authorization servers of tool servers. */
export class OAuthSettings {
  /** The page of the web app to which they lead back; for each issuer there is a page of its own below it. */
  private readonly page: string;
  private readonly publicUrl: string | null;
  readonly clientName: string;
  private readonly preregistered: ReadonlyMap<string, PreregisteredClient>;

  constructor({ mcp, http, webauthn }: Pick<AppConfig, 'mcp' | 'http' | 'webauthn'>) {
    const webApp = http.corsOrigins[0] ?? http.publicUrl ?? `http://localhost:${http.port}`;
    this.page = mcp.oauthRedirectUri ?? `${trimmed(webApp)}/mcp/oauth/callback`;
    this.publicUrl = http.publicUrl?.startsWith('https://') ? trimmed(http.publicUrl) : null;
    this.clientName = webauthn.rpName;
    this.preregistered = new Map(
      Object.entries(mcp.oauthClients).map(([issuer, given], at) => [
        keyOf(issuer),
        {
          clientId: given.client_id,
          clientSecret: given.client_secret ?? null,
          resourceHosts: (given.resource_hosts ?? [URL.parse(issuer)?.hostname ?? '']).map((one) => one.toLowerCase()),
          // Those who had one application only have registered it with the plain address.
          redirectUri: given.redirect_uri ?? (at === 0 ? this.page : this.pageOf(issuer)),
        },
      ]),
    );
  }

  findPreregistered(issuer: string): PreregisteredClient | null {
    return this.preregistered.get(keyOf(issuer)) ?? null;
  }

  /** Whether there is an address at which we publish who we are. */
  get hasClientMetadata(): boolean {
    return this.publicUrl !== null;
  }

  /**
   * The address to which an issuer leads back, and no other issuer: an answer that arrives elsewhere comes from another
   * one than was asked (RFC 9700, section 4.4.2).
   */
  redirectUriOf(issuer: string): string {
    return this.findPreregistered(issuer)?.redirectUri ?? this.pageOf(issuer);
  }

  /** Our client id where client id metadata documents are taken: one for each issuer, for it names the address. */
  clientIdOf(issuer: string): string | null {
    return this.publicUrl && `${this.publicUrl}${CLIENT_METADATA_PATH}/${nameOf(issuer)}.json`;
  }

  /**
   * What stands at the client id of an issuer, whichever that is.
   * @param name null for the one that all issuers shared once; grants that were made with it are still good
   * @returns null where there is no such document
   */
  publishedMetadata(name: string | null) {
    if (!this.publicUrl || (name !== null && !KEY.test(name))) return null;
    const [suffix, redirectUri] = name === null ? ['', this.page] : [`/${name}`, this.pageBelow(name)];
    const client_id = `${this.publicUrl}${CLIENT_METADATA_PATH}${suffix}.json`;
    return { client_id, ...this.clientMetadata(redirectUri), token_endpoint_auth_method: 'none' };
  }

  /** What we say of ourselves, in registrations and in published documents. */
  clientMetadata(redirectUri: string) {
    const { clientName, publicUrl } = this;
    return {
      client_name: clientName,
      ...(publicUrl ? { client_uri: new URL(publicUrl).origin } : {}),
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: isLoopback(redirectUri) ? 'native' : 'web',
    };
  }

  private pageBelow(name: string): string {
    const url = new URL(this.page);
    url.pathname = `${trimmed(url.pathname)}/${name}`;
    return url.href;
  }

  private pageOf(issuer: string): string {
    return this.pageBelow(nameOf(issuer));
  }
}

/** Of an issuer, in addresses: 128 bits of its digest. */
function nameOf(issuer: string): string {
  return hash('sha256', keyOf(issuer), 'buffer').subarray(0, 16).toString('base64url');
}

/** Whether an application that was registered by hand is meant for this address. */
export function isMeantFor({ resourceHosts }: PreregisteredClient, address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (resourceHosts.includes(url.host) || resourceHosts.includes(url.hostname));
}

function trimmed(address: string): string {
  return address.replace(/\/+$/, '');
}

/** An issuer without a path is the same with and without its slash. */
function keyOf(issuer: string): string {
  return URL.parse(issuer)?.href ?? issuer;
}

function isLoopback(address: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(address)?.hostname ?? '');
}
