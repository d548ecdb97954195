import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { close, listen } from './oidc.js';

export interface McpIssuerOptions {
  /** Seconds that access tokens live. */
  lifetime?: number;
  registration?: boolean;
  /** Takes client ids that are addresses; this fetches them. */
  fetchClient?: (url: string) => Promise<Response>;
  clients?: { client_id: string; client_secret: string; redirect_uris: string[] }[];
}

export interface McpIssuer {
  url: string;
  provider: Provider;
  /** Requests of each endpoint so far, by path. */
  calls: Record<string, number>;
  /** What was asked for by POST, form and JSON bodies as text. */
  bodies: { path: string; body: string }[];
  /** Grants that ended because a refresh token was used twice. */
  revokedGrants(): number;
  /**
   * Until it is null again every request for tokens waits for it; one whose client has gone meanwhile is not looked at.
   * Not those for metadata: a process that has none yet would wait for them, and not for tokens.
   */
  hold: Promise<void> | null;
  /** The same for the answers to them, after the provider has done what it was asked for. */
  holdAnswers: Promise<void> | null;
  /** Requests that wait for either. */
  waiting: number;
  /** Answers in place of the provider while it is set. */
  down: boolean;
  stop(): Promise<void>;
}

function newSigningKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' };
}

const SCOPES = 'tools:read tools:write';

/**
 * A certified provider as tool servers use one: PKCE, dynamic registration, resource indicators, revocation, and refresh
 * tokens that rotate; whoever uses one a second time loses the grant. Everybody who comes is signed in and consents.
 */
export async function startMcpIssuer(options: McpIssuerOptions = {}): Promise<McpIssuer> {
  const { lifetime = 600, registration = true, fetchClient, clients = [] } = options;
  const server = createServer();
  const url = await listen(server);
  // It warns of its memory, which is what a test wants.
  const quiet = [jest.spyOn(console, 'warn'), jest.spyOn(console, 'info')];
  for (const one of quiet) one.mockImplementation(() => undefined);
  const provider = new Provider(url, {
    clients: clients.map((client) => ({ ...client, grant_types: ['authorization_code', 'refresh_token'] })),
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    jwks: { keys: [newSigningKey()] },
    cookies: { keys: ['for tests'] },
    scopes: ['openid', 'offline_access'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    ...(fetchClient ? { fetch: (address: URL | string) => fetchClient(String(address)) } : {}),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registration },
      revocation: { enabled: true, allowedPolicy: () => true },
      clientIdMetadataDocument: { enabled: fetchClient !== undefined, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx: unknown, resource: string) => ({
          scope: SCOPES,
          audience: resource,
          accessTokenTTL: lifetime,
          accessTokenFormat: 'opaque',
        }),
      },
    },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/login/${uid}` },
    findAccount: (_ctx: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    ttl: {
      AccessToken: lifetime,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 600,
    },
  });
  for (const one of quiet) one.mockRestore();
  let revoked = 0;
  provider.on('grant.revoked', () => (revoked += 1));
  const handle = provider.callback();
  const consent = async (request: IncomingMessage, response: ServerResponse) => {
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: 'ada', clientId: params['client_id'] ?? '' });
    grant.addOIDCScope('openid offline_access');
    if (params['resource']) grant.addResourceScope(params['resource'], params['scope'] ?? '');
    const result = { login: { accountId: 'ada' }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result);
  };
  const issuer: McpIssuer = {
    url,
    provider,
    calls: {},
    bodies: [],
    hold: null,
    holdAnswers: null,
    waiting: 0,
    down: false,
    revokedGrants: () => revoked,
    stop: () => close(server),
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '', url);
    issuer.calls[pathname] = (issuer.calls[pathname] ?? 0) + 1;
    const chunks: Buffer[] = [];
    if (request.method === 'POST') {
      request.prependListener('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => issuer.bodies.push({ path: pathname, body: Buffer.concat(chunks).toString('utf8') }));
    }
    const wait = async (held: Promise<void> | null) => {
      if (!held) return;
      issuer.waiting += 1;
      await held;
      issuer.waiting -= 1;
    };
    const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
    if (pathname === '/token' && issuer.holdAnswers)
      response.end = ((...args: unknown[]) => {
        void wait(issuer.holdAnswers).then(() => end(...args));
        return response;
      }) as typeof response.end;
    const answer = async () => {
      if (pathname === '/token') await wait(issuer.hold);
      if (request.destroyed || response.destroyed) return;
      if (issuer.down) response.writeHead(503).end();
      else await (pathname.startsWith('/login/') ? consent(request, response) : handle(request, response));
    };
    answer().catch(() => response.destroy());
  });
  return issuer;
}
