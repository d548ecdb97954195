import type { LiveBus } from '@app/live';
import type { ConsoleRun } from '@app/dedicated-agent';
import { Logger } from '@nestjs/common';
import { AgentViewer, type AgentViewerServices } from './agent-viewer.js';
import type { ChatMessage, ChatPlace } from './chat-message.js';
import type { LiveSocket } from './live-socket.js';
import type { Room } from './socket-rooms.js';

/** So long a socket waits for Redis; then it is let in, and looks at Postgres now and then. */
const MAX_WAIT_MS = 1000;

export interface AgentFeedServices extends AgentViewerServices {
  live: LiveBus;
}

/** What the console of one agent pushes to its sockets on this replica (docs/contract/dedicated-agent.md#the-socket). */
export class AgentFeed implements Room<LiveSocket<ChatMessage>> {
  private readonly logger = new Logger(AgentFeed.name);
  private readonly sockets = new Set<LiveSocket<ChatMessage>>();
  private readonly viewers = new Map<LiveSocket<ChatMessage>, AgentViewer>();
  private readonly started: Promise<void>;
  /** Of the agent, and by session: what memory became of a turn is told in its conversation. */
  private readonly subscriptions: (() => void)[] = [];
  private readonly sessions = new Set<number>();
  private hasEnded = false;

  constructor(
    private readonly agentId: string,
    private readonly services: AgentFeedServices,
  ) {
    this.started = this.subscribe(() =>
      services.live.subscribe(`agent:${agentId}`, () => {
        for (const viewer of this.viewers.values()) viewer.look();
      }),
    );
  }

  get members(): ReadonlySet<LiveSocket<ChatMessage>> {
    return this.sockets;
  }

  /** @param place where the client stopped; null for one that comes for the first time. */
  async join(socket: LiveSocket<ChatMessage>, place: ChatPlace | null, mayStay: () => Promise<boolean>): Promise<void> {
    this.sockets.add(socket);
    const said: ChatMessage[] = [];
    socket.listen((message) => void said.push(message));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.started, new Promise((resolve) => (timer = setTimeout(resolve, MAX_WAIT_MS)))]);
    clearTimeout(timer);
    if (!(await mayStay())) return;
    const { userId } = socket.principal;
    const onRun = (run: ConsoleRun) => this.hearOf(userId, run);
    const viewer = new AgentViewer(socket, this.agentId, this.services, { onRun });
    if (!socket.isOpen || !this.sockets.has(socket)) return;
    this.viewers.set(socket, viewer);
    await viewer.begin(place);
    socket.listen((message) => void this.hear(socket, viewer, message, mayStay));
    for (const message of said) void this.hear(socket, viewer, message, mayStay);
  }

  leave(socket: LiveSocket<ChatMessage>): void {
    this.sockets.delete(socket);
    this.viewers.get(socket)?.end();
    this.viewers.delete(socket);
  }

  catchUp(): void {
    for (const viewer of this.viewers.values()) viewer.look();
  }

  /** Nobody else may be here. */
  keepPresence(): void {}

  end(): void {
    this.hasEnded = true;
    for (const viewer of this.viewers.values()) viewer.end();
    for (const unsubscribe of this.subscriptions.splice(0)) unsubscribe();
  }

  private async hear(
    socket: LiveSocket<ChatMessage>,
    viewer: AgentViewer,
    message: ChatMessage,
    mayStay: () => Promise<boolean>,
  ): Promise<void> {
    try {
      if (message.type === 'resume' && (await mayStay()) && socket.isOpen) await viewer.resume(message);
    } catch (error) {
      this.logger.warn(`A message could not be answered: ${String(error)}`);
    }
  }

  private hearOf(userId: number, { sessionId }: ConsoleRun): void {
    if (this.sessions.has(sessionId)) return;
    this.sessions.add(sessionId);
    void this.subscribe(async () => {
      const conversation = await this.services.console.conversationOf(userId, sessionId);
      if (conversation === null) return () => {};
      return this.services.live.subscribe(`conversation:${conversation}`, (message) => {
        if (!('turnId' in message) || !message.afterwards) return;
        const { sessionId: session, event_type: eventType, event } = message.afterwards;
        if (session !== sessionId) return;
        const of = { turnId: message.turnId, sessionId };
        for (const viewer of this.viewers.values()) viewer.tell(of, eventType, event);
      });
    });
  }

  private async subscribe(subscription: () => Promise<() => void>): Promise<void> {
    try {
      const unsubscribe = await subscription();
      if (this.hasEnded) unsubscribe();
      else this.subscriptions.push(unsubscribe);
    } catch (error) {
      this.logger.warn(`News of an agent are not pushed: ${String(error)}`);
    }
  }
}
