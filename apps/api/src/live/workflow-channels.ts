import { workflowRole } from '@app/access';
import { LiveBus } from '@app/live';
import { PeriodicTasks } from '@app/queues';
import { NodeRows, RevisionCache } from '@app/workflows';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { LiveSocket } from './live-socket.js';
import { WorkflowFeed } from './workflow-feed.js';

/** Rights that were taken away without a push are noticed after this long. */
const RECHECK_SECONDS = 4;
const KEEP_ALIVE_SECONDS = 30;

interface Membership {
  workflowId: string;
  socket: LiveSocket;
}

/** The workflow sockets of this replica. Whoever loses their session or their access is put out within 5 s. */
@Injectable()
export class WorkflowChannels implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(WorkflowChannels.name);
  private readonly feeds = new Map<string, WorkflowFeed>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
    private readonly nodeRows: NodeRows,
    private readonly revisions: RevisionCache,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.live.onGap(() => {
      for (const feed of this.feeds.values()) feed.refresh();
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
  }

  onApplicationShutdown(): void {
    for (const feed of this.feeds.values()) feed.end();
    this.feeds.clear();
  }

  add(workflowId: string, socket: LiveSocket): void {
    let feed = this.feeds.get(workflowId);
    if (!feed) {
      feed = new WorkflowFeed(workflowId, this.live, this.nodeRows, this.revisions, () => {
        void this.recheck(this.memberships().filter((membership) => membership.workflowId === workflowId));
      });
      this.feeds.set(workflowId, feed);
    }
    const joined = feed;
    socket.onClose(() => {
      joined.leave(socket);
      if (joined.members.size > 0 || this.feeds.get(workflowId) !== joined) return;
      joined.end();
      this.feeds.delete(workflowId);
    });
    void joined.join(socket);
  }

  private memberships(): Membership[] {
    return [...this.feeds].flatMap(([workflowId, feed]) => [...feed.members].map((socket) => ({ workflowId, socket })));
  }

  private async recheck(memberships: Membership[]): Promise<void> {
    if (memberships.length === 0) return;
    try {
      const rows = await this.dataSource.query<{ position: number }[]>(
        `SELECT m.position::int FROM unnest($1::uuid[], $2::int[], $3::uuid[])
           WITH ORDINALITY AS m(session_id, user_id, workflow_id, position)
         JOIN sessions s ON s.id = m.session_id AND s.revoked_at IS NULL AND s.absolute_expires_at > now()
         JOIN users u ON u.id = m.user_id AND u.is_active
         JOIN workflows w ON w.id = m.workflow_id AND w.deleted_at IS NULL
         WHERE ${workflowRole('w', 'm.user_id')} IS NOT NULL`,
        [
          memberships.map(({ socket }) => socket.principal.sessionId),
          memberships.map(({ socket }) => socket.principal.userId),
          memberships.map(({ workflowId }) => workflowId),
        ],
      );
      const allowed = new Set(rows.map(({ position }) => position));
      for (const [index, { socket }] of memberships.entries())
        if (!allowed.has(index + 1)) socket.close('Access has ended.');
    } catch (error) {
      this.logger.warn(`The rights of sockets could not be checked: ${String(error)}`);
    }
  }
}
