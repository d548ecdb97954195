import type { LiveBus, LivePresence, PresenceEntry } from '@app/live';
import { Logger } from '@nestjs/common';
import type { ClientMessage } from './client-message.js';
import type { LiveSocket } from './live-socket.js';

/** A socket of whatever channel, as far as presence goes. */
type PresentSocket = Pick<LiveSocket, 'id' | 'principal' | 'sendEvent'>;

/** Comings and goings of so long become one frame. */
const INTERVAL_MS = 250;
/** People that a frame names. */
const MAX_NAMED = 100;

/** Who watches a workflow or a conversation, over all replicas; for sockets that said so themselves. */
export class SocketPresence {
  private readonly logger = new Logger(SocketPresence.name);
  private readonly present = new Map<PresentSocket, PresenceEntry>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly topic: `workflow:${string}` | `conversation:${string}`,
    private readonly board: LivePresence,
    private readonly live: LiveBus,
  ) {}

  say(socket: PresentSocket, { state, nodeId }: Extract<ClientMessage, { type: 'presence' }>): void {
    if (state === 'away') return this.leave(socket);
    const { userId, username } = socket.principal;
    const known = this.present.get(socket);
    const entry: PresenceEntry = { userId, username, state, nodeId, since: known?.since ?? Date.now() };
    this.present.set(socket, entry);
    // A repetition is a heartbeat: only a change is told.
    const isChange = known?.state !== state || known.nodeId !== nodeId;
    this.write(this.board.put(this.topic, new Map([[socket.id, entry]])), isChange);
  }

  leave(socket: PresentSocket): void {
    if (this.present.delete(socket)) this.write(this.board.remove(this.topic, [socket.id]), true);
  }

  /** So that the entries outlive their time on the board as long as the sockets are here. */
  keep(): void {
    const entries = new Map([...this.present].map(([socket, entry]) => [socket.id, entry]));
    this.write(this.board.put(this.topic, entries), false);
    // Those of a replica that died run out without anybody saying so.
    this.refresh();
  }

  /** Tells those here who is here, when they have not been told for a moment. */
  refresh(): void {
    if (this.present.size === 0) return;
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.send().catch((error: unknown) => this.logger.debug(`Presence is not told: ${String(error)}`));
    }, INTERVAL_MS);
  }

  end(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const ids = [...this.present.keys()].map(({ id }) => id);
    this.present.clear();
    if (ids.length > 0) this.write(this.board.remove(this.topic, ids), true);
  }

  private write(written: Promise<void>, isChange: boolean): void {
    written
      .then(() => isChange && this.tellChange())
      .catch((error: unknown) => this.logger.debug(`Presence is not written: ${String(error)}`));
  }

  private tellChange(): void {
    const { topic, live } = this;
    if (isOfWorkflow(topic)) live.publish(topic, { type: 'presence_changed' });
    else live.publish(topic, { presence: 'changed' });
  }

  private async send(): Promise<void> {
    const people = new Map<number, PresenceEntry & { connections: number }>();
    for (const entry of await this.board.list(this.topic)) {
      const known = people.get(entry.userId);
      if (known) {
        known.connections += 1;
        if (entry.state === 'editing') Object.assign(known, { state: entry.state, nodeId: entry.nodeId });
      } else people.set(entry.userId, { ...entry, connections: 1 });
    }
    const data = [...people.values()].slice(0, MAX_NAMED).map(({ userId, username, state, nodeId, ...rest }) => ({
      user: { id: userId, username },
      state,
      node_id: nodeId,
      connections: rest.connections,
      since: new Date(rest.since).toISOString(),
    }));
    const frame = Buffer.from(JSON.stringify({ type: 'presence', count: people.size, data }));
    for (const socket of this.present.keys()) socket.sendEvent(frame);
  }
}

function isOfWorkflow(topic: string): topic is `workflow:${string}` {
  return topic.startsWith('workflow:');
}
