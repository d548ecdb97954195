import { Logger } from '@nestjs/common';
import type { AuthorizedServer } from './authorization.js';
import { McpFailure, SessionLostError } from './mcp-failure.js';
import type { McpConnector } from './mcp-connector.js';
import type { McpSession, TransportKind } from './mcp-session.js';
import { orAborted } from './or-aborted.js';

/** A stored server under one set of credentials. */
export interface PooledServer extends AuthorizedServer {
  readonly id: number;
  readonly version: number;
  readonly transport: TransportKind | null;
}

interface Entry {
  readonly key: string;
  readonly opening: Promise<McpSession>;
  users: number;
  usedAt: number;
  idle: NodeJS.Timeout | undefined;
}

const CONNECT_MS = 20_000;
const IDLE_MS = 5 * 60_000;
/** A session that rested longer is asked whether it still is there. */
const RESTED_MS = 30_000;
const PING_MS = 3000;
const MAX_SESSIONS = 500;
/** A server may say as often as it likes that its tools changed; it is written down at once, and then so often at most. */
const CHANGES_MS = 1000;

/** The sessions of this process, one for each server and set of credentials, closed when nobody uses them any more. */
export class SessionPool {
  private readonly logger = new Logger(SessionPool.name);
  private readonly entries = new Map<string, Entry>();
  private readonly end = new AbortController();

  constructor(
    private readonly connector: McpConnector,
    private readonly onToolsChanged: (server: { id: number; version: number }) => Promise<void>,
    private readonly times = { idleMs: IDLE_MS, restedMs: RESTED_MS },
  ) {}

  get size(): number {
    return this.entries.size;
  }

  /**
   * Does something in the server's session. When the server has forgotten the session it is done once more in a new
   * one: nothing was done before.
   * @throws McpFailure; the signal's reason; whatever `work` throws
   */
  async use<T>(server: PooledServer, signal: AbortSignal, work: (session: McpSession) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const entry = this.claim(server);
      try {
        const session = await this.opened(entry, signal);
        return await work(session);
      } catch (error) {
        if (!(error instanceof SessionLostError)) throw error;
        // Others may still get their answer in it; each learns for itself whether it was forgotten.
        this.retire(entry);
        if (attempt > 1) throw new McpFailure('protocol', 'The server forgets its sessions at once.', { cause: error });
      } finally {
        this.release(entry);
      }
    }
  }

  /** Ends the sessions of a server that was deleted or changed. Other processes end theirs when they have rested. */
  forget(serverId: number): void {
    for (const entry of this.entries.values()) if (entry.key.startsWith(`${serverId}:`)) this.drop(entry);
  }

  async close(): Promise<void> {
    this.end.abort(new McpFailure('unreachable', 'The platform shuts down.'));
    const entries = [...this.entries.values()];
    this.entries.clear();
    await Promise.all(
      entries.map(async ({ opening, idle }) => {
        clearTimeout(idle);
        const session = await opening.catch(() => null);
        await session?.close();
      }),
    );
  }

  private claim(server: PooledServer): Entry {
    const key = `${server.id}:${server.version}`;
    const known = this.entries.get(key);
    const entry = known ?? { key, opening: this.open(server), users: 0, usedAt: Date.now(), idle: undefined };
    clearTimeout(entry.idle);
    entry.users += 1;
    if (!known) {
      this.entries.set(key, entry);
      entry.opening.then(
        // It rests from now on, however long its opening took.
        () => (entry.usedAt = Date.now()),
        () => this.drop(entry),
      );
      this.makeRoom();
    }
    return entry;
  }

  private open(server: PooledServer): Promise<McpSession> {
    const { transport, id, version } = server;
    return this.connector.open(server, {
      // Others wait for the same session, so nobody's own signal may end this.
      signal: AbortSignal.any([this.end.signal, AbortSignal.timeout(CONNECT_MS)]),
      transport,
      listens: true,
      onToolsChanged: atMostEvery(CHANGES_MS, () => {
        if (this.end.signal.aborted) return;
        this.onToolsChanged({ id, version }).catch((error: unknown) => this.logger.warn(String(error)));
      }),
    });
  }

  private async opened(entry: Entry, signal: AbortSignal): Promise<McpSession> {
    const session = await orAborted(entry.opening, signal);
    const rested = Date.now() - entry.usedAt;
    entry.usedAt = Date.now();
    if (rested > this.times.restedMs && !(await orAborted(session.isAlive(PING_MS), signal)))
      throw new SessionLostError();
    return session;
  }

  private release(entry: Entry): void {
    entry.users -= 1;
    entry.usedAt = Date.now();
    if (entry.users > 0) return;
    if (this.entries.get(entry.key) !== entry) this.drop(entry);
    else entry.idle = setTimeout(() => this.drop(entry), this.times.idleMs).unref();
  }

  /** Nobody new gets it; it ends with the last who uses it. */
  private retire(entry: Entry): void {
    if (this.entries.get(entry.key) === entry) this.entries.delete(entry.key);
  }

  private drop(entry: Entry): void {
    clearTimeout(entry.idle);
    this.retire(entry);
    entry.opening
      .then((session) => session.close())
      .catch((error: unknown) => this.logger.debug(`A session was never opened: ${String(error)}`));
  }

  /** The one that rested longest goes; those in use stay. */
  private makeRoom(): void {
    if (this.entries.size <= MAX_SESSIONS) return;
    const [oldest] = [...this.entries.values()]
      .filter(({ users }) => users === 0)
      .toSorted((a, b) => a.usedAt - b.usedAt);
    if (oldest) this.drop(oldest);
  }
}

/** Does it at once, and once more after the pause for all who asked meanwhile. */
function atMostEvery(pauseMs: number, work: () => void): () => void {
  let pause: NodeJS.Timeout | null = null;
  let isAsked = false;
  const begin = () => {
    isAsked = false;
    pause = setTimeout(() => {
      pause = null;
      if (isAsked) begin();
    }, pauseMs).unref();
    work();
  };
  return () => {
    if (pause === null) begin();
    else isAsked = true;
  };
}
