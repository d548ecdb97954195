import { createServer } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express, { type Request, type Response } from 'express';
import type { McpIssuer } from './mcp-issuer.js';
import { close, listen } from './oidc.js';

export interface ProtectedMcp {
  /** Of the MCP endpoint. */
  url: string;
  /** The tokens that came, in their order. */
  tokens: string[];
  stop(): Promise<void>;
}

export interface ProtectedMcpOptions {
  /** Over the true metadata of RFC 9728; `null` in place of them publishes none. */
  metadata?: Record<string, unknown> | null;
  /** In place of the header that names the metadata. */
  challenge?: (origin: string) => string;
}

/** A tool server of the SDK's behind its own bearer middleware: reading takes `tools:read`, writing `tools:write`. */
export async function startProtectedMcp(issuer: McpIssuer, options: ProtectedMcpOptions = {}): Promise<ProtectedMcp> {
  const app = express();
  const server = createServer(app);
  const origin = await listen(server);
  const url = `${origin}/mcp`;
  const tokens: string[] = [];
  const metadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`;
  const { metadata = {}, challenge } = options;
  if (metadata)
    app.get('/.well-known/oauth-protected-resource/mcp', (_request, response) => {
      response.json({
        resource: url,
        authorization_servers: [issuer.url],
        scopes_supported: ['tools:read'],
        ...metadata,
      });
    });
  const verifyAccessToken = async (token: string): Promise<AuthInfo> => {
    tokens.push(token);
    const found = await issuer.provider.AccessToken.find(token);
    const expiresAt = found?.exp ?? 0;
    const scopes = found?.scope?.split(' ') ?? [];
    return {
      token,
      clientId: found?.clientId ?? '',
      scopes,
      expiresAt,
      resource: new URL(String(found?.aud ?? 'urn:none')),
    };
  };
  const auth = requireBearerAuth({
    verifier: { verifyAccessToken },
    requiredScopes: ['tools:read'],
    expectedResource: new URL(url),
    ...(metadata ? { resourceMetadataUrl: metadataUrl } : {}),
  });
  app.use('/mcp', (request, response, next) => {
    if (!challenge || request.headers.authorization) return next();
    response.status(401).set('www-authenticate', challenge(origin)).end();
  });
  app.use('/mcp', auth, express.json());
  app.post('/mcp', (request: Request & { auth?: AuthInfo }, response: Response) => {
    const { method, params } = request.body as { method?: string; params?: { name?: string } };
    if (method === 'tools/call' && params?.name === 'write' && !request.auth?.scopes.includes('tools:write')) {
      const wanted = `Bearer error="insufficient_scope", scope="tools:write", resource_metadata="${metadataUrl}"`;
      response.status(403).set('www-authenticate', wanted).end();
      return;
    }
    const mcp = new McpServer({ name: 'protected', version: '1.0.0' });
    for (const name of ['read', 'write'])
      mcp.registerTool(name, { description: name }, () => ({ content: [{ type: 'text', text: `${name} done` }] }));
    const transport = new StreamableHTTPServerTransport({});
    response.on('close', () => void mcp.close());
    mcp
      .connect(transport as Parameters<typeof mcp.connect>[0])
      .then(() => transport.handleRequest(request, response, request.body))
      .catch(() => response.destroy());
  });
  app.all('/mcp', (_request, response) => {
    response.status(405).end();
  });
  return { url, tokens, stop: () => close(server) };
}
