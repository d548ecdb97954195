import type { AppConfig } from '@app/config';

/** An application that an administrator registered by hand. */
export interface PreregisteredClient {
  clientId: string;
  /** Null: a public client. */
  clientSecret: string | null;
}

const CLIENT_METADATA_PATH = '/mcp-servers/oauth/client-metadata.json';

/** How this deployment presents itself to the authorization servers of tool servers. */
export class OAuthSettings {
  /** The page of the web app to which they lead back. */
  readonly redirectUri: string;
  /** Our client id where client id metadata documents are taken; null without a public https address. */
  readonly clientMetadataUrl: string | null;
  readonly clientName: string;
  private readonly preregistered: ReadonlyMap<string, PreregisteredClient>;

  constructor({ mcp, http, webauthn }: Pick<AppConfig, 'mcp' | 'http' | 'webauthn'>) {
    const webApp = http.corsOrigins[0] ?? http.publicUrl ?? `http://localhost:${http.port}`;
    this.redirectUri = mcp.oauthRedirectUri ?? `${trimmed(webApp)}/mcp/oauth/callback`;
    this.clientMetadataUrl = http.publicUrl?.startsWith('https://')
      ? trimmed(http.publicUrl) + CLIENT_METADATA_PATH
      : null;
    this.clientName = webauthn.rpName;
    this.preregistered = new Map(
      Object.entries(mcp.oauthClients).map(([issuer, { client_id: clientId, client_secret: clientSecret = null }]) => [
        keyOf(issuer),
        { clientId, clientSecret },
      ]),
    );
  }

  findPreregistered(issuer: string): PreregisteredClient | null {
    return this.preregistered.get(keyOf(issuer)) ?? null;
  }

  /** What we say of ourselves, in registrations and in the published document. */
  clientMetadata() {
    const { redirectUri, clientName, clientMetadataUrl } = this;
    return {
      client_name: clientName,
      ...(clientMetadataUrl ? { client_uri: new URL(clientMetadataUrl).origin } : {}),
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: isLoopback(redirectUri) ? 'native' : 'web',
    };
  }
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
