import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { OpenAnswers } from './open-answers.js';

/** How long requests in flight may take to finish when the api closes; then their connections are cut. */
const CUT_MS = 6000;
/** The same after a drain: whoever has not been answered by then was told to go elsewhere. */
const CUT_DRAINED_MS = 2000;
/** For so long idle connections stay open: a request that is on its way already is answered, not reset. */
const FAREWELL_MS = 500;
const IDLE_CHECK_MS = 50;
/**
 * Connections that wait to be accepted, as far as the system allows (`net.core.somaxconn`). Of what comes beyond them the
 * first packet is dropped, and its caller tries again after 1, 3 and 7 seconds; 511 of Node are too few for a burst.
 */
const BACKLOG = 4096;
/** For so long a drain waits for callers that do not notice. */
const UNNOTICED_MS = 5000;

/**
 * Express, with a drain at shutdown, and a short way for JSON answers, which are nearly all: the type is known, an entity tag is not wanted,
 * and headers and body leave in one write.
 */
export class ApiAdapter extends ExpressAdapter {
  readonly answers = new OpenAnswers();
  private isDrained = false;

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
   * @param signal ends the wait for those who wait for an answer
   */
  async drain(signal: AbortSignal): Promise<void> {
    this.answers.leave();
    const server = this.getHttpServer() as Server;
    await this.answers.unasked(AbortSignal.any([signal, AbortSignal.timeout(UNNOTICED_MS)]));
    // Not by the method of http servers, which closes idle connections at once, too.
    NetServer.prototype.close.call(server);
    this.isDrained = true;
    for (
      const end = Date.now() + FAREWELL_MS;
      Date.now() < end && !signal.aborted && (await connectionsOf(server)) > 0;
    )
      await sleep(IDLE_CHECK_MS);
    await this.answers.settled(signal);
  }

  override beforeClose(): void {
    super.beforeClose();
    this.answers.leave();
    this.answers.endFollowers();
  }

  /** Says good-bye on the connections that speak, waits for requests in flight, and lets go of what falls idle. */
  override async close(): Promise<void> {
    const server = this.getHttpServer() as Server;
    // Node closes idle connections at once when a server closes, in the face of those who just send a request.
    for (const end = Date.now() + FAREWELL_MS; Date.now() < end && (await connectionsOf(server)) > 0;)
      await sleep(IDLE_CHECK_MS);
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    const deadline = setTimeout(() => server.closeAllConnections(), this.isDrained ? CUT_DRAINED_MS : CUT_MS);
    try {
      await super.close();
    } finally {
      clearInterval(idle);
      clearTimeout(deadline);
    }
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (typeof body !== 'object' || body === null || body instanceof StreamableFile || body instanceof Error)
      return super.reply(response, body, statusCode);
    if (response.headersSent || response.hasHeader('Content-Type')) return super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.statusCode = statusCode;
    const text = JSON.stringify(body);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    const bytes = Buffer.byteLength(text);
    response.setHeader('Content-Length', bytes);
    // Of plain ASCII the bytes are the same, and no transcoding is needed.
    return response.end(text, bytes === text.length ? 'latin1' : 'utf8');
  }
}

function connectionsOf(server: Server): Promise<number> {
  return promisify<number>((done) => server.getConnections(done))();
}
