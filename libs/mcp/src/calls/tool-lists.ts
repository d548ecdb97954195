import { Injectable, Logger } from '@nestjs/common';
import { SessionPool } from '../client/session-pool.js';
import { listTools } from '../servers/list-tools.js';
import { ServerOutcomes } from '../servers/server-outcomes.js';
import { type OutdatedServer, StoredServers } from '../servers/stored-server.js';

/** Tools of servers that say nothing are looked at again after so long. */
const OLD_MINUTES = 30;
const WAIT_MS = 3000;
const LIST_MS = 20_000;

/** Keeps the lists of tools as the servers have them. */
@Injectable()
export class ToolLists {
  private readonly logger = new Logger(ToolLists.name);
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly servers: StoredServers,
    private readonly pool: SessionPool,
    private readonly outcomes: ServerOutcomes,
  ) {}

  /**
   * Lists anew what has changed or is old. Waits for those that said so, for three seconds; never throws for what
   * servers do.
   */
  async refreshOutdated(userId: number, signal: AbortSignal): Promise<void> {
    const outdated = await this.servers.listOutdated(userId, OLD_MINUTES);
    const awaited = outdated.map((server) => ({ isStale: server.isStale, done: this.refresh(server) }));
    const changed = awaited.filter(({ isStale }) => isStale).map(({ done }) => done);
    if (changed.length === 0) return;
    const late = new Promise<void>((over) => {
      const timer = setTimeout(over, WAIT_MS).unref();
      signal.addEventListener('abort', () => (clearTimeout(timer), over()), { once: true });
    });
    await Promise.race([Promise.all(changed), late]);
  }

  /** Once at a time for each server, however many ask. */
  private refresh(server: OutdatedServer): Promise<void> {
    const key = `${server.id}:${server.version}`;
    const known = this.underWay.get(key);
    if (known) return known;
    const work = this.list(server)
      .catch((error: unknown) =>
        this.logger.warn(`The tools of server ${server.id} could not be listed: ${String(error)}`),
      )
      .finally(() => this.underWay.delete(key));
    this.underWay.set(key, work);
    return work;
  }

  private async list(server: OutdatedServer): Promise<void> {
    const signal = AbortSignal.timeout(LIST_MS);
    // Before the question: what the server changes while it answers makes the list stale again.
    await this.outcomes.markStale(server, false);
    try {
      const listing = await this.pool.use(server, signal, (session) => listTools(session, server.slug, signal));
      await this.outcomes.listed(server, listing, false);
    } catch (error) {
      if (server.isStale) await this.outcomes.markStale(server, true);
      throw error;
    }
  }
}
