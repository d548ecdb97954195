import { API_SCOPES, CurrentUser, type Principal } from '@app/auth';
import { isUuid, newId, PayloadTooLargeError } from '@app/common';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import express, { type RequestHandler, type Response } from 'express';
import type { ApiRequest } from '../http/api-request.js';
import { asDomainError } from '../http/http-errors.js';
import { OpenCalls } from '../http/open-calls.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { checkDepth, parseBody, verifyFaithful } from '../http/request-body.guard.js';
import { PartOf } from '../http/part-of.js';
import { Route, type RateLimit } from '../http/route.js';
import { AllowedCallers } from './allowed-callers.js';
import { CallsUnderWay } from './calls/calls-under-way.js';
import { MCP_LIMITS, type McpLimits } from './mcp-limits.js';
import { JsonRpcErrorResponse } from './mcp.dto.js';
import { McpAddress } from './mcp-address.js';
import { McpServers } from './mcp-servers.js';
import { readMessages, type Message } from './messages.js';
import { ToolShelf } from './tools/tool-shelf.js';

const MAX_BATCH = 20;
/** Of a call whose session has ended: to tell its client so. */
const GRACE_MS = 1000;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const REFUSED = -32_000;

/** Atrium as an MCP server, by Streamable HTTP. No session is kept: each request says all that is needed. */
@ApiTags('MCP')
@PartOf('core')
@Controller()
export class McpController {
  private readonly parser: RequestHandler;
  private readonly perUser: RateLimit;

  constructor(
    private readonly servers: McpServers,
    private readonly shelf: ToolShelf,
    private readonly calls: CallsUnderWay,
    private readonly callers: AllowedCallers,
    private readonly limiter: RateLimiter,
    private readonly open: OpenCalls,
    private readonly address: McpAddress,
    @Inject(MCP_LIMITS) { bodyBytes, perUser }: McpLimits,
  ) {
    this.parser = express.json({ limit: bodyBytes, strict: false, type: () => true, verify: verifyFaithful });
    this.perUser = { bucket: 'user', perMinute: perUser };
  }

  @Post('mcp/')
  @Route({
    summary: 'Speak the Model Context Protocol',
    description:
      'Streamable HTTP without sessions: tools, resources and prompts over documents, tables and workflows, with the rights and the scopes of the token (`Authorization: Bearer atr_...`).',
    scope: API_SCOPES,
    response: {
      contentType: ['application/json', 'text/event-stream'],
      description: 'An answer of JSON-RPC, or server-sent events with it.',
    },
    alsoAnswers: {
      202: { contentType: 'text/plain', description: 'Nothing was asked, nothing is answered.' },
      400: JsonRpcErrorResponse,
      406: JsonRpcErrorResponse,
      413: JsonRpcErrorResponse,
      415: JsonRpcErrorResponse,
    },
    forMcpClients: true,
    optionalSlash: true,
    readsOwnBody: true,
    consumes: 'application/json',
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    readsHeaders: ['Mcp-Session-Id', 'MCP-Protocol-Version'],
    answersHeaders: ['Mcp-Session-Id'],
    open: true,
  })
  async speak(@CurrentUser() viewer: Principal, @Req() request: ApiRequest, @Res() response: Response): Promise<void> {
    this.callers.check(request);
    const body = await this.read(request, response);
    if (body === undefined) return;
    const messages = readMessages(body);
    if (messages.length === 0) return refuse(response, 400, INVALID_REQUEST, 'An empty batch asks nothing.');
    if (messages.length > MAX_BATCH) return refuse(response, 400, INVALID_REQUEST, `At most ${MAX_BATCH} messages.`);
    // The guard has counted one.
    for (let more = 1; more < messages.length; more += 1)
      await this.limiter.hit(this.perUser, String(viewer.userId), response);
    this.requireScopes(viewer, messages, response);
    const clientId = clientIdOf(request);
    this.passOnCancellations(viewer, clientId, messages);
    if (messages.some(({ method }) => method === 'initialize')) response.setHeader('Mcp-Session-Id', newId());
    await this.answer(viewer, clientId, request, response, body, messages);
  }

  private async answer(
    viewer: Principal,
    clientId: string,
    request: ApiRequest,
    response: Response,
    body: unknown,
    messages: readonly Message[],
  ): Promise<void> {
    const gone = new AbortController();
    const server = this.servers.create({ viewer, clientId, gone: gone.signal });
    // Calls may take long and tell of their progress; everything else is one answer.
    const enableJsonResponse = !messages.some(({ method }) => method === 'tools/call');
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse });
    response.once('close', () => {
      gone.abort(new DOMException('The client has gone.', 'AbortError'));
      void server.close();
    });
    const ended = this.open.of(response);
    ended.addEventListener('abort', () => {
      gone.abort(ended.reason);
      // Tools that heed no signal are not waited for.
      setTimeout(() => response.destroy(), GRACE_MS).unref();
    });
    // Its own types are not exact about optional properties.
    await server.connect(transport as Transport);
    acceptWhatIsSent(request);
    keepHeaders(response);
    await transport.handleRequest(request, response, body);
  }

  /** @returns undefined when it could not be read, and was answered */
  private async read(request: ApiRequest, response: Response): Promise<unknown> {
    try {
      const body = (await parseBody(this.parser, request, response)) ?? null;
      if (typeof body === 'object' && body !== null) checkDepth(body);
      return body;
    } catch (error) {
      const known = asDomainError(error);
      if (!known) throw error;
      if (!request.complete) response.setHeader('Connection', 'close');
      if (known instanceof PayloadTooLargeError) refuse(response, 413, REFUSED, known.message);
      else refuse(response, 400, PARSE_ERROR, known.message);
      return undefined;
    }
  }

  /** @throws ForbiddenError, with a challenge from which clients learn what to ask for */
  private requireScopes(viewer: Principal, messages: readonly Message[], response: Response): void {
    for (const { method, toolName } of messages) {
      const tool = method === 'tools/call' && toolName !== null ? this.shelf.find(toolName) : undefined;
      if (!tool || viewer.scopes === null || viewer.scopes.includes(tool.scope)) continue;
      const metadata = `resource_metadata="${this.address.resourceMetadata(response.req)}"`;
      const lacking = `error="insufficient_scope", scope="${tool.scope}"`;
      response.setHeader('WWW-Authenticate', `Bearer ${lacking}, ${metadata}`);
      this.shelf.requireScope(viewer, tool.scope);
    }
  }

  private passOnCancellations({ sessionId }: Principal, clientId: string, messages: readonly Message[]): void {
    for (const { method, cancels } of messages)
      if (method === 'notifications/cancelled' && cancels !== null)
        this.calls.cancel({ sessionId, clientId, requestId: cancels });
  }
}

/**
 * The transport says `Connection: keep-alive` and `no-cache` with its events, whatever the client and the server have
 * agreed on: a client that wanted to close, and an api that stops, would have the next call on a connection that is over.
 */
function keepHeaders(response: Response): void {
  const writeHead = response.writeHead.bind(response);
  const write = (status: number, headers: Record<string, string | string[]> = {}) => {
    const kept = Object.entries(headers).filter(([name]) => !/^(connection|cache-control)$/i.test(name));
    return writeHead(status, Object.fromEntries(kept));
  };
  response.writeHead = write as Response['writeHead'];
}

/** The protocol asks clients to name both media types; whoever takes anything takes these. */
function acceptWhatIsSent(request: ApiRequest): void {
  if (!(request.get('accept') ?? '*/*').includes('*/*')) return;
  request.headers.accept = 'application/json, text/event-stream';
  request.rawHeaders.push('Accept', request.headers.accept);
}

/** Ours are UUIDs; a client that says something else speaks of a session that never was. */
function clientIdOf(request: ApiRequest): string {
  const given = request.get('mcp-session-id') ?? '';
  return isUuid(given) ? given : '';
}

function refuse(response: Response, status: number, code: number, message: string): void {
  response.status(status).json({ jsonrpc: '2.0', error: { code, message }, id: null });
}
