import { type IncomingMessage, type Server as HttpServer, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type DomainError,
  InvalidRequestError,
  isEncodedUtf8,
  NotFoundError,
  RateLimitedError,
  UnauthenticatedError,
  UnavailableError,
} from '@app/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { match, type MatchFunction } from 'path-to-regexp';
import type { WebSocketServer } from 'ws';
import { requestIdOf } from '../http/conventions.middleware.js';
import { toErrorBody } from '../http/exception.filter.js';
import { asDomainError, statusOf } from '../http/http-errors.js';
import type { Authorize, UpgradeRequest } from './handshake.js';

type Params = Record<string, string>;
type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A server of one gateway. A gateway sets `authorize` in `afterInit`; without it nobody gets in. */
export interface RoutedServer extends WebSocketServer {
  matchPath: MatchFunction<Params>;
  authorize?: Authorize;
}

/** Nest's WsAdapter knows exact paths only. This one takes patterns, and decides at the handshake who gets in. */
export class ParamWsAdapter extends WsAdapter {
  private readonly listeners = new Map<HttpServer, UpgradeListener>();

  protected override addWsServerToRegistry<T extends Record<'path', string>>(
    wsServer: T,
    port: number,
    path: string,
  ): void {
    super.addWsServerToRegistry(wsServer, port, path);
    (wsServer as unknown as RoutedServer).matchPath = match<Params>(path);
  }

  /**
   * Frames that are too large, or no frames at all, are a client's doing, and end its connection alone: as errors, anybody
   * could fill the log with them.
   */
  override bindErrorHandler(server: WebSocketServer): WebSocketServer {
    server.on('connection', (client) =>
      client.on('error', (error) => this.logger.debug(`A client broke its socket: ${error.message}`)),
    );
    server.on('error', (error) => this.logger.error(error));
    return server;
  }

  protected override ensureHttpServerExists(port: number, httpServer?: HttpServer): HttpServer | undefined {
    if (this.httpServersRegistry.has(port)) return undefined;
    if (!httpServer) return super.ensureHttpServerExists(port);
    this.httpServersRegistry.set(port, httpServer);
    const listener: UpgradeListener = (request, socket, head) => void this.route(port, request, socket, head);
    httpServer.on('upgrade', listener);
    Object.assign(httpServer, { shouldUpgradeCallback: asksForSocket });
    this.listeners.set(httpServer, listener);
    return httpServer;
  }

  override async dispose(): Promise<void> {
    for (const [server, listener] of this.listeners) server.off('upgrade', listener);
    this.listeners.clear();
    await super.dispose();
  }

  private async route(port: number, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const onError = () => socket.destroy();
    socket.on('error', onError);
    try {
      const [server, upgrade] = this.find(port, request);
      upgrade.principal = await server.authorize!(upgrade);
      if (socket.destroyed) return;
      socket.off('error', onError);
      server.handleUpgrade(upgrade, socket, head, (client) => server.emit('connection', client, upgrade));
    } catch (error) {
      const known = asDomainError(error) ?? new UnavailableError('The channel is not available.', { cause: error });
      if (statusOf(known) >= 500) this.logger.error(known);
      socket.end(refusal(known, request));
    }
  }

  private find(port: number, request: IncomingMessage): [RoutedServer, UpgradeRequest] {
    const url = URL.parse(request.url ?? '/', 'ws://localhost');
    for (const server of (this.wsServersRegistry.get(port) ?? []) as RoutedServer[]) {
      const found = url && matchSafely(server, url.pathname);
      if (!found || !server.authorize) continue;
      if (!isEncodedUtf8(url.search)) throw new InvalidRequestError('The query is not UTF-8.');
      return [server, Object.assign(request, { params: { ...found.params }, query: url.searchParams })];
    }
    throw new NotFoundError('There is no such channel.');
  }
}

/**
 * Clients that would rather speak HTTP/2 (those of Java, `curl --http2`) say so with an ordinary call, which goes to its
 * route: with a listener for upgrades, Node hands over whatever asks for one.
 */
function asksForSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * The answer of a route to the same error (docs/contract/conventions.md#errors): browsers keep it from pages, all other
 * clients read why they were refused.
 */
function refusal(error: DomainError, request: IncomingMessage): string {
  const status = statusOf(error);
  const body = JSON.stringify(toErrorBody(error, 'detail'));
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestIdOf(request.headers)}`,
  ];
  if (error instanceof UnauthenticatedError) lines.push('WWW-Authenticate: Token');
  if (error instanceof RateLimitedError) lines.push(`Retry-After: ${error.retryAfterSeconds}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** A path with broken percent-encoding names nothing. */
function matchSafely(server: RoutedServer, pathname: string): ReturnType<MatchFunction<Params>> {
  try {
    return server.matchPath(pathname);
  } catch {
    return false;
  }
}
