import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { BACKLOG, LeavingServer } from '../http/leaving-server.js';
import type { OpenAnswers } from '../http/open-answers.js';
import type { PageOrigin } from './page-origin.js';
import type { PageRoutes } from './page-routes.js';

const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 20_000;
const REQUEST_MS = 60_000;

/** The second server of the api, which serves pages under an origin of their own. */
@Injectable()
export class PagesListener implements BeforeApplicationShutdown {
  private server: Server | undefined;
  /** How it leaves; undefined until it listens. */
  leaving: LeavingServer | undefined;

  constructor(
    private readonly routes: PageRoutes,
    private readonly origin: PageOrigin,
    /** Within which a body has to arrive. */
    private readonly bodySeconds: number,
  ) {}

  /** @returns the port, which the system chooses where it is 0 */
  async listen(port: number, host: string, answers: OpenAnswers): Promise<number> {
    const server = createServer(this.routes.build(answers));
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.headersTimeout = HEADERS_MS;
    server.requestTimeout = Math.max(REQUEST_MS, HEADERS_MS + this.bodySeconds * 1000);
    await new Promise<void>((done, failed) => {
      server.once('error', failed);
      server.listen({ port, host, backlog: BACKLOG }, done);
    });
    this.server = server;
    this.leaving = new LeavingServer(server);
    this.origin.port = (server.address() as AddressInfo).port;
    return this.origin.port;
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    await this.leaving!.close(() => new Promise((done) => server.close(done)));
  }
}
