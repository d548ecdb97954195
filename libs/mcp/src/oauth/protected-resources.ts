import { checkResourceAllowed } from '@modelcontextprotocol/sdk/shared/auth-utils.js';
import { z } from 'zod';
import { type Challenge, parseChallenge } from './challenge.js';
import { firstUsable, UnusableMetadataError } from './first-usable.js';
import { type OAuthAnswer, OAuthHttp, parseObject } from './oauth-http.js';
import { toScopes } from './scopes.js';

const MAX_ISSUERS = 5;

/** A tool server as it describes itself to those who want to sign in (RFC 9728). */
export interface ProtectedResource {
  /** Its identifier, for which tokens are asked (RFC 8707). */
  resource: string;
  /** Its authorization servers, in its order; at most five. */
  issuers: string[];
  /** What it lists; null when it lists none. */
  scopes: string[] | null;
  /** What it asked for when it refused a request without a token; null when it named none. */
  challenged: string[] | null;
}

export interface Inspection {
  /** Null: it asks nobody to sign in. */
  resource: ProtectedResource | null;
  /** Of MCP, where it told without a token. */
  protocolVersion: string | null;
}

const schema = z.object({
  resource: z.url().max(2048),
  authorization_servers: z.array(z.string().max(2048)).min(1),
  scopes_supported: z.array(z.unknown()).optional().catch(undefined),
});

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'Atrium', version: '1' } },
};

/** Asks tool servers whether and where their users sign in. */
export class ProtectedResources {
  constructor(private readonly http: OAuthHttp) {}

  /** @throws EgressError when the server cannot be reached, may not be called, or describes another than itself */
  async inspect(address: string, signal: AbortSignal): Promise<Inspection> {
    const url = new URL(this.http.checkUrl(address));
    url.hash = '';
    const refusal = await this.knock(url, signal);
    const challenge = await parseChallenge(headerOf(refusal, 'www-authenticate'));
    const described = await this.findMetadata(url, challenge, signal);
    const resource =
      described ?? (refusal.status === 401 ? { resource: url.href, issuers: [url.origin], scopes: null } : null);
    return {
      resource: resource && { ...resource, challenged: challenge.scopes },
      protocolVersion: versionIn(refusal),
    };
  }

  /** A first request without a token, as any client would send it. */
  private async knock(url: URL, signal: AbortSignal): Promise<OAuthAnswer> {
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const answer = await this.http.call(url.href, {
      method: 'POST',
      headers,
      body: JSON.stringify(INITIALIZE),
      signal,
    });
    const session = headerOf(answer, 'mcp-session-id');
    if (session !== null && /^[\x21-\x7e]{1,500}$/.test(session))
      await this.http
        .call(url.href, { method: 'DELETE', headers: { 'mcp-session-id': session }, signal })
        .catch(() => undefined);
    return answer;
  }

  private async findMetadata(
    url: URL,
    { resourceMetadata }: Challenge,
    signal: AbortSignal,
  ): Promise<Omit<ProtectedResource, 'challenged'> | null> {
    const wellKnown = new URL('/.well-known/oauth-protected-resource', url.origin).href;
    const path = url.pathname.replace(/\/$/, '');
    // It should be a whole address, and is not at every server.
    const named = resourceMetadata && (URL.parse(resourceMetadata, url.href)?.href ?? resourceMetadata);
    const addresses = [named, path === '' ? null : wellKnown + path, wellKnown];
    return firstUsable(
      addresses.filter((address) => address !== null),
      async (address) => {
        const told = await this.http.getObject(address, signal);
        return told && this.validate(url, told);
      },
    );
  }

  private validate(url: URL, told: Record<string, unknown>): Omit<ProtectedResource, 'challenged'> {
    const read = schema.safeParse(told);
    if (!read.success) throw new UnusableMetadataError('The server describes its sign-in incompletely.');
    const { resource, authorization_servers: issuers, scopes_supported: scopes } = read.data;
    // Else it would have us fetch tokens that are good elsewhere.
    if (!checkResourceAllowed({ requestedResource: url, configuredResource: resource }))
      throw new UnusableMetadataError('The server describes the sign-in to another server than itself.');
    return { resource, issuers: issuers.slice(0, MAX_ISSUERS), scopes: scopes ? toScopes(scopes) : null };
  }
}

function headerOf({ headers }: OAuthAnswer, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(', ') : value) ?? null;
}

function versionIn({ status, text }: OAuthAnswer): string | null {
  if (status !== 200) return null;
  // An event stream holds the same object behind `data: `.
  const json = text.startsWith('{') ? text : (/^data: ?(\{.*)$/m.exec(text)?.[1] ?? '');
  const result = parseObject(json)?.['result'] as { protocolVersion?: unknown } | null | undefined;
  const version = result?.protocolVersion;
  return typeof version === 'string' && /^[\w.-]{1,40}$/.test(version) ? version : null;
}
