import type { Server } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Application, RequestHandler, Response } from 'express';
import { BACKLOG, LeavingServer } from './leaving-server.js';
import { OpenAnswers } from './open-answers.js';
import { INDEXED_METHODS, type IndexedMethod, RouteIndex } from './route-index.js';
import { writtenAlready } from './written-once.js';

/** For so long a drain waits for callers that do not notice. */
const UNNOTICED_MS = 5000;

/**
 * Express, with a drain at shutdown, and a short way for JSON answers, which are nearly all: the type is known, an entity tag is not wanted,
 * and headers and body leave in one write.
 */
export class ApiAdapter extends ExpressAdapter {
  readonly answers = new OpenAnswers();
  private leaving: LeavingServer | undefined;
  private routes: RouteIndex | null = null;

  constructor() {
    super();
    for (const method of INDEXED_METHODS) Object.assign(this, { [method]: this.register.bind(this, method) });
  }

  override listen(
    port: string | number,
    ...rest: [hostname: string, listening?: (() => void) | undefined] | [listening?: (() => void) | undefined]
  ): Server {
    const [first, second] = rest;
    const host = typeof first === 'string' ? { host: first } : {};
    const server = this.getHttpServer() as Server;
    return server.listen(
      { port: Number(port), ...host, backlog: BACKLOG },
      typeof first === 'function' ? first : second,
    );
  }

  /**
   * Takes no new connections as soon as none come (those that the system has taken for a busy process would be reset), and answers what comes on those that are there, while all that an answer needs still
   * works: what the process ends with (waiters, tool servers, the database) comes after it.
   * @param others servers of the same process, which leave with this one
   * @param signal ends the wait for those who wait for an answer
   */
  async drain(signal: AbortSignal, others: readonly LeavingServer[] = []): Promise<void> {
    this.answers.leave();
    await this.answers.unasked(AbortSignal.any([signal, AbortSignal.timeout(UNNOTICED_MS)]));
    await Promise.all([this.leavingServer, ...others].map((server) => server.turnAway(signal)));
    await this.answers.settled(signal);
  }

  override beforeClose(): void {
    super.beforeClose();
    this.answers.leave();
    this.answers.endFollowers();
  }

  override close(): Promise<void> {
    return this.leavingServer.close(async () => super.close());
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (typeof body !== 'object' || body === null || body instanceof StreamableFile || body instanceof Error)
      return super.reply(response, body, statusCode);
    if (response.headersSent || response.hasHeader('Content-Type')) return super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.statusCode = statusCode;
    const text = writtenAlready(body) ?? JSON.stringify(body);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    const bytes = Buffer.byteLength(text);
    response.setHeader('Content-Length', bytes);
    // Of plain ASCII the bytes are the same, and no transcoding is needed.
    return response.end(text, bytes === text.length ? 'latin1' : 'utf8');
  }

  private register(method: IndexedMethod, path: string, ...handlers: RequestHandler[]): unknown {
    const app = this.getInstance<Application>();
    this.routes = RouteIndex.add(this.routes, app, method, path, handlers);
    return app;
  }

  private get leavingServer(): LeavingServer {
    return (this.leaving ??= new LeavingServer(this.getHttpServer() as Server));
  }
}
