import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

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
export const BACKLOG = 4096;

/** How a server of the api goes: nobody who is on the way here is reset. */
export class LeavingServer {
  private isDrained = false;

  constructor(private readonly server: Server) {}

  /** Takes no new connections; the method of http servers would close idle ones at once, too. */
  async turnAway(signal: AbortSignal): Promise<void> {
    NetServer.prototype.close.call(this.server);
    this.isDrained = true;
    for (
      const end = Date.now() + FAREWELL_MS;
      Date.now() < end && !signal.aborted && (await connectionsOf(this.server)) > 0;
    )
      await sleep(IDLE_CHECK_MS);
  }

  /** Says good-bye on the connections that speak, waits for requests in flight, and lets go of what falls idle. */
  async close(end: () => Promise<unknown>): Promise<void> {
    const { server } = this;
    // Node closes idle connections at once when a server closes, in the face of those who just send a request.
    for (const until = Date.now() + FAREWELL_MS; Date.now() < until && (await connectionsOf(server)) > 0;)
      await sleep(IDLE_CHECK_MS);
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    const deadline = setTimeout(() => server.closeAllConnections(), this.isDrained ? CUT_DRAINED_MS : CUT_MS);
    try {
      await end();
    } finally {
      clearInterval(idle);
      clearTimeout(deadline);
    }
  }
}

function connectionsOf(server: Server): Promise<number> {
  return promisify<number>((done) => server.getConnections(done))();
}
