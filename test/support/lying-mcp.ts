import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { close, listen } from './oidc.js';
import { json } from './oidc-liar.js';

type Path = 'mcp' | 'resource' | 'metadata' | 'register' | 'token' | 'revoke';
type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A tool server with its own authorization server; both tell the truth until a test makes them lie. Every code is good. */
export class LyingMcp {
  origin = '';
  /** In place of the true answer. */
  answers: Partial<Record<Path, Answer>> = {};
  /** Over the truth; `undefined` takes one out. */
  resource: Record<string, unknown> = {};
  metadata: Record<string, unknown> = {};
  readonly calls: Record<Path, number> = { mcp: 0, resource: 0, metadata: 0, register: 0, token: 0, revoke: 0 };
  /** Bodies and credentials that came to `token` and `register`. */
  readonly told: { path: Path; authorization: string | undefined; body: string }[] = [];
  private readonly server = createServer((request, response) => {
    const path = pathOf(request);
    if (!path) {
      response.writeHead(404).end();
      return;
    }
    this.calls[path] += 1;
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      this.told.push({ path, authorization: request.headers.authorization, body });
      (this.answers[path] ?? ((to) => this.truth(path, to)))(response, request);
    });
  });

  static async start(): Promise<LyingMcp> {
    const liar = new LyingMcp();
    liar.origin = await listen(liar.server);
    return liar;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  stop(): Promise<void> {
    return close(this.server);
  }

  beHonest(): void {
    Object.assign(this, { answers: {}, resource: {}, metadata: {} });
    this.told.length = 0;
  }

  truth(path: Path, response: ServerResponse): void {
    const { origin } = this;
    const answers: Record<Path, () => void> = {
      mcp: () =>
        response
          .writeHead(401, {
            'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
          })
          .end(),
      resource: () =>
        json(response, {
          resource: this.url,
          authorization_servers: [origin],
          scopes_supported: ['a', 'b'],
          ...this.resource,
        }),
      metadata: () =>
        json(response, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          revocation_endpoint: `${origin}/revoke`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
          ...this.metadata,
        }),
      register: () => json(response, { client_id: `client-${this.calls.register}`, client_secret: 'c-s3cret' }, 201),
      token: () =>
        json(response, { access_token: 'a-token', token_type: 'Bearer', refresh_token: 'r-token', expires_in: 60 }),
      revoke: () => response.writeHead(200).end(),
    };
    answers[path]();
  }
}

function pathOf({ url = '' }: IncomingMessage): Path | null {
  const path = url.split('?')[0] ?? '';
  if (path.startsWith('/.well-known/oauth-protected-resource')) return 'resource';
  if (path.startsWith('/.well-known/')) return 'metadata';
  const name = path.slice(1);
  return name === 'mcp' || name === 'register' || name === 'token' || name === 'revoke' ? name : null;
}
