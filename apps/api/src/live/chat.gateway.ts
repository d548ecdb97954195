import { ConversationTurns } from '@app/agents';
import type { Principal } from '@app/auth';
import { ForbiddenError, InvalidRequestError, NotFoundError } from '@app/common';
import { type OnGatewayConnection, type OnGatewayInit, WebSocketGateway } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { ChatChannels } from './chat-channels.js';
import { type ChatPlace, parseChatMessage, parsePlace } from './chat-message.js';
import type { UpgradeRequest } from './handshake.js';
import { LiveSocket } from './live-socket.js';
import type { RoutedServer } from './param-ws.adapter.js';
import { SocketAuthenticator } from './socket-authenticator.js';
import { SocketCounts } from './socket-counts.js';
import { PartOf } from '../http/part-of.js';

const MAX_CONVERSATION_ID = 128;

/**
 * The channel of a conversation: progress, text as it is written, answers. It opens before the first message too: whoever
 * writes first has the conversation, and everybody else is put out.
 */
@PartOf('chat_ai')
@WebSocketGateway({ path: '/ws/chat/:conversationId', maxPayload: 16 * 1024 })
export class ChatGateway implements OnGatewayInit<RoutedServer>, OnGatewayConnection<WebSocket> {
  constructor(
    private readonly authenticator: SocketAuthenticator,
    private readonly conversations: ConversationTurns,
    private readonly channels: ChatChannels,
    private readonly counts: SocketCounts,
  ) {}

  afterInit(server: RoutedServer): void {
    server.authorize = (request) => this.authorize(request);
  }

  handleConnection(client: WebSocket, request: UpgradeRequest): void {
    const socket = new LiveSocket(client, request.principal!, parseChatMessage);
    this.channels.add(request.params.conversationId!, socket, placeOf(request));
  }

  private async authorize(request: UpgradeRequest): Promise<Principal> {
    const principal = await this.authenticator.authenticate(request, this, 'chats:write');
    const conversationId = request.params.conversationId ?? '';
    if (conversationId.length > MAX_CONVERSATION_ID || conversationId.includes('\0'))
      throw new NotFoundError('There is no such conversation.');
    if ((request.query.has('turn_id') || request.query.has('last_seq')) && !placeOf(request))
      throw new InvalidRequestError('turn_id and last_seq are those of a frame.');
    const ownerId = await this.conversations.ownerOf(conversationId);
    if (ownerId !== null && ownerId !== principal.userId)
      throw new ForbiddenError('This conversation belongs to somebody else.', { code: 'conversation_claimed' });
    this.counts.admit(principal.userId);
    return principal;
  }
}

function placeOf({ query }: UpgradeRequest): ChatPlace | null {
  return parsePlace(query.get('turn_id'), query.get('last_seq'));
}
