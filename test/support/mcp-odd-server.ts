import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

export interface OddTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  /** The result; the input as text unless told. */
  run?: (call: OddCall) => unknown;
}

export interface OddCall {
  input: Record<string, unknown>;
  meta: Record<string, unknown>;
  signal: AbortSignal;
  progress(done: number): Promise<void>;
  /** Asks the client for something; its answer or its error. */
  ask(method: string, params: Record<string, unknown>): Promise<unknown>;
}

/** A tool server made with the protocol's SDK, whose behaviour a test changes while it runs. */
export class OddServer {
  tools: OddTool[] = [];
  pageSize = 1000;
  /** Answers in place of the protocol; false: does not want to. */
  intercept: ((request: IncomingMessage, response: ServerResponse, body: string) => boolean) | null = null;
  /** Answers with JSON in place of events. */
  json = false;
  readonly requests: { method: string; headers: IncomingMessage['headers']; body: string }[] = [];
  readonly cancelled: string[] = [];
  url = '';
  host = '';
  private readonly sessions = new Map<string, { transport: StreamableHTTPServerTransport; server: Server }>();
  private readonly http = createServer((request, response) => void this.take(request, response));

  static async start(): Promise<OddServer> {
    const server = new OddServer();
    await new Promise<void>((ready) => server.http.listen(0, '127.0.0.1', ready));
    server.host = `127.0.0.1:${(server.http.address() as AddressInfo).port}`;
    server.url = `http://${server.host}/mcp`;
    return server;
  }

  get sessionCount(): number {
    return this.sessions.size;
  }

  /** JSON-RPC methods that came in, in order. */
  get methods(): string[] {
    return this.requests.flatMap(({ body }) =>
      body === '' ? [] : [(JSON.parse(body) as { method?: string }).method ?? ''],
    );
  }

  /** As after a restart. */
  forgetSessions(): void {
    this.sessions.clear();
  }

  async tellToolsChanged(): Promise<void> {
    for (const { server } of this.sessions.values()) await server.sendToolListChanged();
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((stopped) => this.http.close(stopped));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece as string;
    this.requests.push({ method: request.method ?? '', headers: request.headers, body });
    if (this.intercept?.(request, response, body)) return;
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.sessions.get(id) : undefined;
    if (id !== undefined && !known) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Session not found"}');
      return;
    }
    const { transport } = known ?? (await this.open());
    await transport.handleRequest(request, response, body === '' ? undefined : JSON.parse(body));
  }

  private async open() {
    const server = new Server({ name: 'odd', version: '1' }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const from = Number(params?.cursor ?? 0);
      const tools = this.tools
        .slice(from, from + this.pageSize)
        .map((tool) => ({ inputSchema: { type: 'object' as const }, ...tool, run: undefined }));
      const next = from + this.pageSize;
      return { tools, ...(next < this.tools.length ? { nextCursor: String(next) } : {}) } as never;
    });
    server.setRequestHandler(
      CallToolRequestSchema,
      async ({ params }, { signal, _meta, sendNotification, requestId, sendRequest }) => {
        const tool = this.tools.find(({ name }) => name === params.name);
        const input = params.arguments ?? {};
        signal.addEventListener('abort', () => this.cancelled.push(String(requestId)));
        const progress = async (done: number) => {
          const token = _meta?.progressToken;
          if (token !== undefined)
            await sendNotification({
              method: 'notifications/progress',
              params: { progressToken: token, progress: done, total: 10 },
            });
        };
        const ask = (method: string, asked: Record<string, unknown>) =>
          sendRequest({ method, params: asked } as never, z.looseObject({})).catch((error: unknown) => error);
        const call: OddCall = { input, meta: _meta ?? {}, signal, progress, ask };
        const answer = tool?.run ? await tool.run(call) : { content: [{ type: 'text', text: JSON.stringify(input) }] };
        return answer as never;
      },
    );
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: this.json,
      onsessioninitialized: (id) => void this.sessions.set(id, { transport, server }),
      onsessionclosed: (id) => void this.sessions.delete(id),
    });
    await server.connect(transport as never);
    return { transport, server };
  }
}
