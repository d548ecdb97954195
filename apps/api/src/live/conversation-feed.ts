import type { TurnMessage } from '@app/contracts';
import type { LiveBus, LivePresence } from '@app/live';
import { Logger } from '@nestjs/common';
import type { ChatMessage, ChatPlace } from './chat-message.js';
import { ChatViewer } from './chat-viewer.js';
import type { LiveSocket } from './live-socket.js';
import { SocketPresence } from './socket-presence.js';
import type { ShownTurnServices } from './shown-turn.js';
import type { Room } from './socket-rooms.js';

/** So long a socket waits for Redis; then it is let in, and looks at Postgres now and then. */
const MAX_WAIT_MS = 1000;
/** What no message told is noticed after this long: while turns are under way, and otherwise. */
const LOOK_MS = 5000;
const IDLE_LOOK_MS = 60_000;
const RETRY_MS = 1000;

export interface ConversationServices extends ShownTurnServices {
  live: LiveBus;
  board: LivePresence;
}

/** What one conversation pushes to its sockets on this replica (docs/contract/chats.md#the-channel). */
export class ConversationFeed implements Room<LiveSocket<ChatMessage>> {
  private readonly logger = new Logger(ConversationFeed.name);
  private readonly sockets = new Set<LiveSocket<ChatMessage>>();
  private readonly viewers = new Map<LiveSocket<ChatMessage>, ChatViewer>();
  private readonly presence: SocketPresence;
  private readonly started: Promise<void>;
  private unsubscribe: () => void = () => {};
  private timer: NodeJS.Timeout | null = null;
  private isLooking = false;
  private isDue = false;
  private hasEnded = false;
  private ownerId: number | null = null;

  /** @param onAccessChange the conversation has an owner from now on. */
  constructor(
    private readonly conversationId: string,
    private readonly services: ConversationServices,
    private readonly onAccessChange: () => void,
  ) {
    this.presence = new SocketPresence(`conversation:${conversationId}`, services.board, services.live);
    this.started = this.start();
  }

  get members(): ReadonlySet<LiveSocket<ChatMessage>> {
    return this.sockets;
  }

  /**
   * @param place where the client stopped; null for one that comes for the first time.
   * @param mayStay asked when a claim by somebody else would be heard, so that none falls between handshake and here.
   */
  async join(socket: LiveSocket<ChatMessage>, place: ChatPlace | null, mayStay: () => Promise<boolean>): Promise<void> {
    const { rows } = this.services;
    this.sockets.add(socket);
    const said: ChatMessage[] = [];
    socket.listen((message) => void said.push(message));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.started, new Promise((resolve) => (timer = setTimeout(resolve, MAX_WAIT_MS)))]);
    clearTimeout(timer);
    if (!(await mayStay())) return;
    const viewer = new ChatViewer(socket, this.services, await rows.presentPlace(this.conversationId));
    // Before any look: what is under way must not be shown ahead of what the client missed.
    if (place) await this.resume(viewer, place);
    if (!socket.isOpen || !this.sockets.has(socket)) return;
    this.viewers.set(socket, viewer);
    socket.listen((message) => void this.hear(socket, viewer, message, mayStay));
    for (const message of said) void this.hear(socket, viewer, message, mayStay);
    this.look();
  }

  leave(socket: LiveSocket<ChatMessage>): void {
    this.sockets.delete(socket);
    this.viewers.get(socket)?.end();
    this.viewers.delete(socket);
    this.presence.leave(socket);
  }

  catchUp(): void {
    this.look();
    this.presence.keep();
  }

  keepPresence(): void {
    this.presence.keep();
  }

  end(): void {
    this.hasEnded = true;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    for (const viewer of this.viewers.values()) viewer.end();
    this.presence.end();
    this.unsubscribe();
  }

  private async start(): Promise<void> {
    const { live } = this.services;
    try {
      const unsubscribe = await live.subscribe(`conversation:${this.conversationId}`, (message) => {
        if ('presence' in message) return this.presence.refresh();
        this.look();
        if (message.afterwards) this.tellAfterwards(message.turnId, message.afterwards);
      });
      if (this.hasEnded) unsubscribe();
      else this.unsubscribe = unsubscribe;
    } catch (error) {
      this.logger.warn(`Turns of a conversation are not pushed: ${String(error)}`);
    }
  }

  /** What no log has, because the turn had ended: whoever is not here misses it. */
  private tellAfterwards(turnId: string, told: NonNullable<TurnMessage['afterwards']>): void {
    const { sessionId, event_type: eventType, event } = told;
    for (const viewer of this.ownersViewers()) viewer.tell({ turnId, sessionId }, eventType, event);
  }

  /** Rights are asked for again: who lost them since gets nothing more, and the next look at all sockets is seconds away. */
  private async hear(
    socket: LiveSocket<ChatMessage>,
    viewer: ChatViewer,
    message: ChatMessage,
    mayStay: () => Promise<boolean>,
  ): Promise<void> {
    try {
      if (!(await mayStay()) || !socket.isOpen) return;
      if (message.type === 'resume') {
        await this.resume(viewer, message);
        this.look();
      }
      if (message.type !== 'presence') return;
      this.presence.say(socket, message);
      this.presence.refresh();
    } catch (error) {
      this.logger.warn(`A message could not be answered: ${String(error)}`);
    }
  }

  private async resume(viewer: ChatViewer, { turnId, lastSeq }: ChatPlace): Promise<void> {
    const place = await this.services.rows.placeOf(this.conversationId, turnId);
    if (place !== null) viewer.resume(turnId, lastSeq, place);
  }

  /** Looks at the turns, one look at a time, and once more when something changed meanwhile. */
  private look(): void {
    this.isDue = true;
    if (!this.isLooking) void this.lookWhileDue();
  }

  private async lookWhileDue(): Promise<void> {
    this.isLooking = true;
    if (this.timer) clearTimeout(this.timer);
    let pause = IDLE_LOOK_MS;
    try {
      while (this.isDue && !this.hasEnded) {
        this.isDue = false;
        pause = (await this.lookOnce()) ? LOOK_MS : IDLE_LOOK_MS;
      }
    } catch (error) {
      this.logger.warn(`The turns of a conversation could not be read: ${String(error)}`);
      pause = RETRY_MS;
    }
    this.isLooking = false;
    // Conversations that were opened together drift apart.
    if (!this.hasEnded) this.timer = setTimeout(() => this.look(), pause * (0.8 + Math.random() * 0.4));
  }

  /** @returns whether turns are under way. */
  private async lookOnce(): Promise<boolean> {
    const { rows } = this.services;
    const ownerId = await rows.ownerOf(this.conversationId);
    if (ownerId !== this.ownerId) this.onAccessChange();
    this.ownerId = ownerId;
    const viewers = this.ownersViewers();
    if (viewers.length === 0) return false;
    const turns = await rows.after(this.conversationId, Math.min(...viewers.map(({ since }) => since)));
    for (const viewer of viewers) viewer.update(turns);
    return viewers.some((viewer) => viewer.isBusy) || turns.some(({ status }) => status === 'queued');
  }

  /** Whoever else came before the first message is shown nothing until they are put out. */
  private ownersViewers(): ChatViewer[] {
    return [...this.viewers].flatMap(([{ principal }, viewer]) => (principal.userId === this.ownerId ? [viewer] : []));
  }
}
