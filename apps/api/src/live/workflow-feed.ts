import { isLiveEvent, type WorkflowLiveMessage } from '@app/contracts';
import type { LiveBus, LiveEventLog, LivePresence } from '@app/live';
import { type NodeRows, type RevisionCache, shownToRunner } from '@app/workflows';
import { Logger } from '@nestjs/common';
import type { ClientMessage } from './client-message.js';
import { CLOSE } from './close-codes.js';
import type { LiveSocket } from './live-socket.js';
import { NodeListFrames } from './node-list-frames.js';
import { WorkflowEvents } from './workflow-events.js';
import { SocketPresence } from './socket-presence.js';
import type { Room } from './socket-rooms.js';

/** So long a socket waits for Redis; then it gets its list, and changes when they can be heard. */
const MAX_WAIT_MS = 1000;

export interface FeedServices {
  live: LiveBus;
  log: LiveEventLog;
  board: LivePresence;
  nodeRows: NodeRows;
  revisions: RevisionCache;
}

/** What one workflow pushes to its sockets on this replica (docs/contract/workflows.md#the-channel). */
export class WorkflowFeed implements Room<LiveSocket> {
  private readonly logger = new Logger(WorkflowFeed.name);
  /** All sockets, those included that are not let in yet. */
  private readonly sockets = new Set<LiveSocket>();
  /** Those that frames go to. */
  private readonly admitted = new Set<LiveSocket>();
  private readonly lists: NodeListFrames;
  private readonly events: WorkflowEvents;
  private readonly presence: SocketPresence;
  private readonly started: Promise<void>;
  private unsubscribe: () => void = () => {};
  private hasEnded = false;
  private lastSeq = 0;
  private isApp: boolean | null = null;

  /** @param onAccessChange somebody's rights, or the workflow itself, may be gone. */
  constructor(
    private readonly workflowId: string,
    private readonly services: FeedServices,
    private readonly onAccessChange: () => void,
  ) {
    const { live, log, board, nodeRows, revisions } = services;
    this.events = new WorkflowEvents(workflowId, log, revisions, this.admitted, (spec) => this.shown(spec));
    this.presence = new SocketPresence(`workflow:${workflowId}`, board, live);
    this.lists = new NodeListFrames(workflowId, {
      load: () => nodeRows.find(workflowId),
      sockets: this.admitted,
      nextSeq: () => (this.lastSeq = Math.max(this.lastSeq, this.events.floor) + 1),
      floor: () => this.events.floor,
      onGone: onAccessChange,
    });
    this.started = this.start();
  }

  get members(): ReadonlySet<LiveSocket> {
    return this.sockets;
  }

  /**
   * @param after the last `seq` that the client has; null for a client that comes for the first time.
   * @param mayStay asked when a loss of rights would be heard, so that none falls between the handshake and here.
   */
  async join(socket: LiveSocket, after: number | null, mayStay: () => Promise<boolean>): Promise<void> {
    this.sockets.add(socket);
    socket.listen((message) => {
      if (this.admitted.has(socket)) void this.hear(socket, message, mayStay);
    });
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.started, new Promise((resolve) => (timer = setTimeout(resolve, MAX_WAIT_MS)))]);
    clearTimeout(timer);
    if (!(await mayStay()) || !socket.isOpen) return;
    const admit = () => {
      if (!socket.isOpen || !this.sockets.has(socket)) return;
      this.admitted.add(socket);
      this.lists.welcome(socket);
    };
    if (after === null) admit();
    else this.events.resume(socket, after, admit);
  }

  /** Rights are asked for again: who lost them since gets nothing more, and the next look at all sockets is seconds away. */
  private async hear(socket: LiveSocket, message: ClientMessage, mayStay: () => Promise<boolean>): Promise<void> {
    try {
      if (!(await mayStay()) || !socket.isOpen) return;
      if (message.type === 'resume') this.events.resume(socket, message.lastSeq, () => {});
      if (message.type !== 'presence') return;
      this.presence.say(socket, message);
      this.presence.refresh();
    } catch (error) {
      this.logger.warn(`A message could not be answered: ${String(error)}`);
      socket.close(CLOSE.goingAway);
    }
  }

  leave(socket: LiveSocket): void {
    this.sockets.delete(socket);
    this.admitted.delete(socket);
    this.lists.forget(socket);
    this.presence.leave(socket);
  }

  /** Changes may have gone unheard. */
  catchUp(): void {
    this.events.catchUp();
    this.lists.refresh();
    this.presence.keep();
  }

  keepPresence(): void {
    this.presence.keep();
  }

  end(): void {
    this.hasEnded = true;
    this.lists.end();
    this.presence.end();
    this.unsubscribe();
  }

  private async start(): Promise<void> {
    const { live, log } = this.services;
    const topic = `workflow:${this.workflowId}` as const;
    try {
      const unsubscribe = await live.subscribe(topic, (message) => this.receive(message));
      if (this.hasEnded) return unsubscribe();
      this.unsubscribe = unsubscribe;
      const { now } = await log.readAfter(topic, null);
      this.events.startAfter(now);
      this.lastSeq = Math.max(this.lastSeq, now);
    } catch (error) {
      this.logger.warn(`Changes of ${this.workflowId} are not pushed: ${String(error)}`);
    }
    if (this.admitted.size > 0) this.lists.refresh();
  }

  /** What of a definition the sockets may see: those of an app see as little as its receiver. */
  private async shown(jsonSpec: Record<string, unknown>): Promise<Record<string, unknown>> {
    this.isApp ??= await this.services.nodeRows.isApp(this.workflowId);
    return this.isApp ? shownToRunner(jsonSpec) : jsonSpec;
  }

  private receive(message: WorkflowLiveMessage): void {
    if (isLiveEvent(message)) {
      this.events.receive(message);
      if (message.type === 'definition_updated') this.lists.refresh();
    } else if (message.type === 'nodes_changed') this.lists.refresh();
    else if (message.type === 'presence_changed') this.presence.refresh();
    else if (message.type === 'access_changed') this.onAccessChange();
  }
}
