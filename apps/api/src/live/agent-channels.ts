import { AgentFeed, type AgentFeedServices } from './agent-feed.js';
import type { ChatMessage, ChatPlace } from './chat-message.js';
import type { LiveSocket } from './live-socket.js';
import { type RoomServices, SocketRooms } from './socket-rooms.js';

/** The sockets of dedicated agents of this replica. */
export class AgentChannels extends SocketRooms<LiveSocket<ChatMessage>, AgentFeed> {
  constructor(
    services: RoomServices,
    private readonly agents: AgentFeedServices,
  ) {
    super('dedicated agent', services);
  }

  /** @param place where the client stopped; null for one that comes for the first time. */
  add(agentId: string, socket: LiveSocket<ChatMessage>, place: ChatPlace | null): void {
    this.admit(agentId, socket, (feed, mayStay) => feed.join(socket, place, mayStay));
  }

  protected override open(agentId: string): AgentFeed {
    return new AgentFeed(agentId, this.agents);
  }
}
