import type { Principal } from '@app/auth';
import { InvalidRequestError, isUuid, NotFoundError } from '@app/common';
import { WorkflowAccess } from '@app/workflows';
import { type OnGatewayConnection, type OnGatewayInit, WebSocketGateway } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { parseClientMessage, parseSeq } from './client-message.js';
import type { UpgradeRequest } from './handshake.js';
import { LiveSocket } from './live-socket.js';
import type { RoutedServer } from './param-ws.adapter.js';
import { SocketAuthenticator } from './socket-authenticator.js';
import { SocketCounts } from './socket-counts.js';
import { WorkflowChannels } from './workflow-channels.js';
import { PartOf } from '../http/part-of.js';

/** The run channel of a workflow: node rows, definition updates, messages of conversational nodes. */
@PartOf('flowapps')
@WebSocketGateway({ path: '/ws/workflow/:workflowId/nodes/', maxPayload: 16 * 1024 })
export class WorkflowNodesGateway implements OnGatewayInit<RoutedServer>, OnGatewayConnection<WebSocket> {
  constructor(
    private readonly authenticator: SocketAuthenticator,
    private readonly access: WorkflowAccess,
    private readonly channels: WorkflowChannels,
    private readonly counts: SocketCounts,
  ) {}

  afterInit(server: RoutedServer): void {
    server.authorize = (request) => this.authorize(request);
  }

  handleConnection(client: WebSocket, request: UpgradeRequest): void {
    const socket = new LiveSocket(client, request.principal!, parseClientMessage);
    this.channels.add(request.params.workflowId!.toLowerCase(), socket, lastSeqOf(request));
  }

  private async authorize(request: UpgradeRequest): Promise<Principal> {
    const principal = await this.authenticator.authenticate(request, this, 'workflows:read');
    const { workflowId } = request.params;
    if (!isUuid(workflowId)) throw new NotFoundError('There is no such workflow.');
    if (request.query.has('last_seq') && lastSeqOf(request) === null)
      throw new InvalidRequestError('last_seq is the seq of a frame.');
    await this.access.require(principal.userId, workflowId, 'see');
    this.counts.admit(principal.userId);
    return principal;
  }
}

/** Empty means nothing yet: a client that has had no frame. */
function lastSeqOf({ query }: UpgradeRequest): number | null {
  return parseSeq(query.get('last_seq') ?? null);
}
