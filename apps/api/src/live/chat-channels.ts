import type { ChatMessage, ChatPlace } from './chat-message.js';
import { ConversationFeed, type ConversationServices } from './conversation-feed.js';
import type { LiveSocket } from './live-socket.js';
import { type RoomServices, SocketRooms } from './socket-rooms.js';

/** The chat sockets of this replica. */
export class ChatChannels extends SocketRooms<LiveSocket<ChatMessage>, ConversationFeed> {
  constructor(
    services: RoomServices,
    private readonly conversations: ConversationServices,
  ) {
    super('chat', services);
  }

  /** @param place where the client stopped; null for one that comes for the first time. */
  add(conversationId: string, socket: LiveSocket<ChatMessage>, place: ChatPlace | null): void {
    this.admit(conversationId, socket, (feed, mayStay) => feed.join(socket, place, mayStay));
  }

  protected override open(conversationId: string, onAccessChange: () => void): ConversationFeed {
    return new ConversationFeed(conversationId, this.conversations, onAccessChange);
  }
}
