import type { Principal } from '@app/auth';
import { InvalidRequestError, isUuid, NotFoundError } from '@app/common';
import { DedicatedAgents } from '@app/dedicated-agent';
import { type OnGatewayConnection, type OnGatewayInit, WebSocketGateway } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { AgentChannels } from './agent-channels.js';
import { type ChatPlace, parseChatMessage, parsePlace } from './chat-message.js';
import type { UpgradeRequest } from './handshake.js';
import { LiveSocket } from './live-socket.js';
import type { RoutedServer } from './param-ws.adapter.js';
import { SocketAuthenticator } from './socket-authenticator.js';
import { SocketCounts } from './socket-counts.js';
import { PartOf } from '../http/part-of.js';

/** The channel of a dedicated agent, for its owner: every conversation of its console on one socket. */
@PartOf('dedicated_agent')
@WebSocketGateway({ path: '/ws/dedicated-agent/:agentId', maxPayload: 16 * 1024 })
export class AgentGatewaySocket implements OnGatewayInit<RoutedServer>, OnGatewayConnection<WebSocket> {
  constructor(
    private readonly authenticator: SocketAuthenticator,
    private readonly agents: DedicatedAgents,
    private readonly channels: AgentChannels,
    private readonly counts: SocketCounts,
  ) {}

  afterInit(server: RoutedServer): void {
    server.authorize = (request) => this.authorize(request);
  }

  handleConnection(client: WebSocket, request: UpgradeRequest): void {
    const socket = new LiveSocket(client, request.principal!, parseChatMessage);
    this.channels.add(request.params.agentId!.toLowerCase(), socket, placeOf(request));
  }

  private async authorize(request: UpgradeRequest): Promise<Principal> {
    const principal = await this.authenticator.authenticate(request, this, 'chats:write');
    if ((request.query.has('turn_id') || request.query.has('last_seq')) && !placeOf(request))
      throw new InvalidRequestError('turn_id and last_seq are those of a frame.');
    const { agentId = '' } = request.params;
    // Whether somebody else has an agent of that id is told to nobody.
    if (!isUuid(agentId) || (await this.idOf(principal.userId)) !== agentId.toLowerCase())
      throw new NotFoundError('There is no such agent of yours.');
    this.counts.admit(principal.userId);
    return principal;
  }

  private async idOf(userId: number): Promise<string | null> {
    try {
      return (await this.agents.get(userId)).id;
    } catch (error) {
      if (error instanceof NotFoundError) return null;
      throw error;
    }
  }
}

function placeOf({ query }: UpgradeRequest): ChatPlace | null {
  return parsePlace(query.get('turn_id'), query.get('last_seq'));
}
