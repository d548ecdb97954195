import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';

/** How long requests in flight may take to finish when the api stops; then their connections are cut. */
const DRAIN_MS = 6000;
/** For so long idle connections stay open: a request that is on its way already is answered, not reset. */
const FAREWELL_MS = 500;
const IDLE_CHECK_MS = 50;

/**
 * Express, with a drain at shutdown, and a short way for JSON answers, which are nearly all: the type is known, an entity tag is not wanted,
 * and headers and body leave in one write.
 */
export class ApiAdapter extends ExpressAdapter {
  /** Whether each connection is to end with its next answer: the client's next one leads elsewhere. */
  leaving = false;

  override beforeClose(): void {
    super.beforeClose();
    this.leaving = true;
  }

  /** Says good-bye on the connections that speak, waits for requests in flight, and lets go of what falls idle. */
  override async close(): Promise<void> {
    const server = this.getHttpServer() as Server;
    // Node closes idle connections at once when a server closes, in the face of those who just send a request.
    for (const end = Date.now() + FAREWELL_MS; Date.now() < end && (await connectionsOf(server)) > 0;)
      await sleep(IDLE_CHECK_MS);
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
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
