import type { WorkflowLiveMessage } from '@app/contracts';
import type { LiveBus } from '@app/live';
import type { NodeRows, RevisionCache, WorkflowProgress } from '@app/workflows';
import { Logger } from '@nestjs/common';
import { toNodeRowResponse } from '../workflows/node-row.dto.js';
import type { LiveSocket } from './live-socket.js';

/** Full lists go out at most this often; a burst of changes becomes a few frames, the last one complete. */
const INTERVAL_MS = 100;

/** What one workflow pushes to its sockets on this replica (document 2, section 6). */
export class WorkflowFeed {
  private readonly logger = new Logger(WorkflowFeed.name);
  private readonly sockets = new Set<LiveSocket>();
  private unsubscribe: Promise<() => void>;
  private timer: NodeJS.Timeout | null = null;
  private isLoading = false;
  private isDue = false;
  private lastSent = 0;
  private seq = 0;

  constructor(
    private readonly workflowId: string,
    private readonly live: LiveBus,
    private readonly nodeRows: NodeRows,
    private readonly revisions: RevisionCache,
    private readonly onAccessChange: () => void,
  ) {
    this.unsubscribe = this.live.subscribe(`workflow:${workflowId}`, (message) => this.receive(message));
    this.unsubscribe.catch((error: Error) => this.logger.warn(`Changes are not pushed: ${error.message}`));
  }

  get members(): ReadonlySet<LiveSocket> {
    return this.sockets;
  }

  /** Sends the state as soon as changes are listened to, so that none falls in between. */
  async join(socket: LiveSocket): Promise<void> {
    this.sockets.add(socket);
    await this.unsubscribe.catch(() => null);
    this.refresh();
  }

  leave(socket: LiveSocket): void {
    this.sockets.delete(socket);
  }

  end(): void {
    if (this.timer) clearTimeout(this.timer);
    this.unsubscribe.then(
      (stop) => stop(),
      () => null,
    );
  }

  /** The list is sent again, now or when its turn comes. */
  refresh(): void {
    this.isDue = true;
    if (this.timer || this.isLoading) return;
    const wait = this.lastSent + INTERVAL_MS - Date.now();
    if (wait <= 0) void this.sendList();
    else {
      this.timer = setTimeout(() => {
        this.timer = null;
        void this.sendList();
      }, wait);
    }
  }

  private receive(message: WorkflowLiveMessage): void {
    switch (message.type) {
      case 'nodes_changed':
        this.refresh();
        break;
      case 'definition_updated':
        void this.sendDefinition(message.contentRevision, message.actor);
        this.refresh();
        break;
      case 'agent_response':
        this.broadcast({ type: 'agent_response', node_id: message.nodeExecutionId, data: message.data });
        break;
      case 'access_changed':
        this.onAccessChange();
        break;
    }
  }

  private async sendList(): Promise<void> {
    if (this.sockets.size === 0) return;
    this.isLoading = true;
    this.isDue = false;
    try {
      const progress = await this.nodeRows.find(this.workflowId);
      this.lastSent = Date.now();
      if (progress) this.sendState(progress);
      else this.onAccessChange();
    } catch (error) {
      this.logger.warn(`The nodes of ${this.workflowId} could not be read: ${String(error)}`);
      this.lastSent = Date.now();
      this.isDue = true;
    }
    this.isLoading = false;
    if (this.isDue) this.refresh();
  }

  private sendState(progress: WorkflowProgress): void {
    this.seq += 1;
    const frame = JSON.stringify({
      type: 'workflow_nodes',
      data: progress.nodes.map(toNodeRowResponse),
      seq: this.seq,
      run_version: progress.runVersion,
      status: progress.status,
    });
    for (const socket of this.sockets) socket.sendState(frame);
  }

  private async sendDefinition(contentRevision: number, actor: { id: number; username: string } | null): Promise<void> {
    try {
      const { jsonSpec } = await this.revisions.get(this.workflowId, contentRevision);
      this.broadcast({ type: 'workflow_definition_updated', data: jsonSpec, ...(actor ? { actor } : {}) });
    } catch (error) {
      this.logger.warn(`Revision ${contentRevision} of ${this.workflowId} could not be read: ${String(error)}`);
    }
  }

  private broadcast(frame: Record<string, unknown>): void {
    const text = JSON.stringify(frame);
    for (const socket of this.sockets) socket.send(text);
  }
}
