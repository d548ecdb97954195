import { LRUCache } from 'lru-cache';
import type { AuthorizationServer } from 'oauth4webapi';
import { z } from 'zod';
import { firstUsable, UnusableMetadataError } from './first-usable.js';
import { OAuthHttp } from './oauth-http.js';
import { toScopes } from './scopes.js';

const KEPT_MS = 5 * 60_000;
const MAX_KEPT = 500;
const DISCOVERY_MS = 15_000;

const texts = z.array(z.string().max(200)).max(500);
const schema = z.object({
  issuer: z.string().max(2048),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string().optional().catch(undefined),
  revocation_endpoint: z.string().optional().catch(undefined),
  response_types_supported: texts.optional().catch(undefined),
  code_challenge_methods_supported: texts.optional().catch(undefined),
  token_endpoint_auth_methods_supported: texts.optional().catch(undefined),
  scopes_supported: z
    .array(z.unknown())
    .optional()
    .catch(undefined)
    .transform((listed) => listed && toScopes(listed)),
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
  client_id_metadata_document_supported: z.boolean().optional().catch(undefined),
});

const unusable = (what: string) => new UnusableMetadataError(`The sign-in provider ${what}.`);

/**
 * Where authorization servers say of themselves what they are (RFC 8414; OpenID Connect Discovery), in the order of the
 * MCP specification.
 */
export function metadataAddresses(issuer: URL): string[] {
  const path = issuer.pathname.replace(/\/$/, '');
  const at = (pathname: string) => new URL(pathname, issuer.origin).href;
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map((name) =>
    at(`/.well-known/${name}${path}`),
  );
  return path === '' ? inserted : [...inserted, at(`${path}/.well-known/openid-configuration`)];
}

/** The metadata of authorization servers, validated; kept for minutes, failures not at all. */
export class AuthorizationServers {
  private readonly kept: LRUCache<string, AuthorizationServer>;

  constructor(private readonly http: OAuthHttp) {
    this.kept = new LRUCache<string, AuthorizationServer>({
      max: MAX_KEPT,
      ttl: KEPT_MS,
      ignoreFetchAbort: true,
      fetchMethod: (issuer) => this.discover(issuer),
    });
  }

  /**
   * @param issuer its identifier, as a resource names it or a grant recorded it
   * @throws EgressError when it cannot be reached, may not be called, or is not what it says
   */
  get(issuer: string): Promise<AuthorizationServer> {
    return this.kept.forceFetch(issuer);
  }

  private async discover(issuer: string): Promise<AuthorizationServer> {
    const url = this.http.checkUrl(issuer);
    if (url.search !== '' || url.hash !== '') throw unusable('has an identifier that is none');
    const signal = AbortSignal.timeout(DISCOVERY_MS);
    const found = await firstUsable(metadataAddresses(url), async (address) => {
      const told = await this.http.getObject(address, signal);
      return told && this.validate(url, told);
    });
    if (!found) throw unusable('publishes no metadata');
    return found;
  }

  private validate(issuer: URL, told: Record<string, unknown>): AuthorizationServer {
    const read = schema.safeParse(told);
    if (!read.success) throw unusable('publishes metadata that are incomplete');
    const { registration_endpoint, revocation_endpoint, ...metadata } = read.data;
    // Else whoever controls one server could speak for another (RFC 8414, section 3.3).
    if (URL.parse(metadata.issuer)?.href !== issuer.href) throw unusable('calls itself by another name than its own');
    if (!this.http.isAllowed(metadata.authorization_endpoint) || !this.http.isAllowed(metadata.token_endpoint))
      throw unusable('names addresses that may not be called');
    if (!(metadata.code_challenge_methods_supported ?? []).includes('S256'))
      throw unusable('does not support PKCE, without which nobody is signed in');
    if (!(metadata.response_types_supported ?? ['code']).includes('code'))
      throw unusable('does not support the authorization code flow');
    return {
      ...dropUndefined(metadata),
      issuer: metadata.issuer,
      ...(this.http.isAllowed(registration_endpoint) ? { registration_endpoint } : {}),
      ...(this.http.isAllowed(revocation_endpoint) ? { revocation_endpoint } : {}),
    };
  }
}

function dropUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** How people know an issuer. */
export function hostOf(issuer: string): string {
  return URL.parse(issuer)?.host ?? issuer;
}
