import { type LiveBus, type LiveEventLog, type LivePresence, PRESENCE_SECONDS } from '@app/live';
import type { PeriodicTasks } from '@app/queues';
import type { NodeRows, RevisionCache } from '@app/workflows';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOSE } from './close-codes.js';
import type { LiveSocket } from './live-socket.js';
import type { Membership, SocketRights } from './socket-rights.js';
import { WorkflowFeed } from './workflow-feed.js';

/** Rights that were taken away without a push are noticed after this long. */
const RECHECK_SECONDS = 4;
const KEEP_ALIVE_SECONDS = 30;

/** The workflow sockets of this replica. Whoever loses their session or their access is put out within 5 s. */
export class WorkflowChannels implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WorkflowChannels.name);
  private readonly feeds = new Map<string, WorkflowFeed>();
  private readonly socketsOf = new Map<number, number>();

  constructor(
    private readonly live: LiveBus,
    private readonly log: LiveEventLog,
    private readonly board: LivePresence,
    private readonly nodeRows: NodeRows,
    private readonly revisions: RevisionCache,
    private readonly rights: SocketRights,
    private readonly tasks: PeriodicTasks,
    private readonly socketsPerUser: number,
  ) {}

  onApplicationBootstrap(): void {
    this.live.onGap(() => {
      for (const feed of this.feeds.values()) feed.catchUp();
    });
    this.live
      .subscribe('principals', (change) => {
        const concerned = this.memberships().filter(({ socket: { principal } }) =>
          'sessionId' in change ? principal.sessionId === change.sessionId : principal.userId === change.userId,
        );
        void this.recheck(concerned);
      })
      .catch((error: Error) => this.logger.warn(`Ended sessions are not pushed: ${error.message}`));
    this.tasks.every('rights of sockets', RECHECK_SECONDS, () => this.recheck(this.memberships()));
    this.tasks.every('silent sockets', KEEP_ALIVE_SECONDS, async () => {
      for (const { socket } of this.memberships()) socket.checkAlive();
    });
    this.tasks.every('presence', PRESENCE_SECONDS / 3, async () => {
      for (const feed of this.feeds.values()) feed.keepPresence();
    });
  }

  /** Clients are told to come back, to another replica. */
  beforeApplicationShutdown(): void {
    for (const feed of this.feeds.values()) {
      for (const socket of feed.members) socket.close(CLOSE.goingAway);
      feed.end();
    }
    this.feeds.clear();
  }

  /** Whether the user has as many sockets on this replica as one may have. */
  isFullFor(userId: number): boolean {
    return this.countOf(userId) >= this.socketsPerUser;
  }

  /** @param after the last `seq` that the client has; null for a client that comes for the first time. */
  add(workflowId: string, socket: LiveSocket, after: number | null): void {
    const feed = this.feedOf(workflowId);
    const { userId } = socket.principal;
    this.socketsOf.set(userId, this.countOf(userId) + 1);
    socket.onClose(() => {
      const left = this.countOf(userId) - 1;
      if (left > 0) this.socketsOf.set(userId, left);
      else this.socketsOf.delete(userId);
      feed.leave(socket);
      if (feed.members.size > 0 || this.feeds.get(workflowId) !== feed) return;
      feed.end();
      this.feeds.delete(workflowId);
    });
    const mayStay = async () => {
      const stays = await this.rights.mayStay({ workflowId, socket });
      if (!stays) socket.close(CLOSE.accessEnded);
      return stays;
    };
    feed.join(socket, after, mayStay).catch((error: unknown) => {
      this.logger.warn(`A socket could not be served: ${String(error)}`);
      socket.close(CLOSE.goingAway);
    });
  }

  private countOf(userId: number): number {
    return this.socketsOf.get(userId) ?? 0;
  }

  private feedOf(workflowId: string): WorkflowFeed {
    const known = this.feeds.get(workflowId);
    if (known) return known;
    const { live, log, board, nodeRows, revisions } = this;
    const feed = new WorkflowFeed(workflowId, { live, log, board, nodeRows, revisions }, () => {
      void this.recheck([...feed.members].map((socket) => ({ workflowId, socket })));
    });
    this.feeds.set(workflowId, feed);
    return feed;
  }

  private memberships(): Membership[] {
    return [...this.feeds].flatMap(([workflowId, feed]) => [...feed.members].map((socket) => ({ workflowId, socket })));
  }

  private async recheck(memberships: readonly Membership[]): Promise<void> {
    try {
      for (const { socket } of await this.rights.findLost(memberships)) socket.close(CLOSE.accessEnded);
    } catch (error) {
      this.logger.warn(`The rights of sockets could not be checked: ${String(error)}`);
    }
  }
}
