import { ConversationTurns, Turns } from '@app/agents';
import { PrincipalResolver, SocketTickets } from '@app/auth';
import type { AppConfig } from '@app/config';
import { AgentConsole, AgentRunFeed } from '@app/dedicated-agent';
import { Gates } from '@app/entitlements';
import { LiveBus, LiveEventLog, LivePresence } from '@app/live';
import { PeriodicTasks } from '@app/queues';
import { NodeRows, RevisionCache } from '@app/workflows';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AgentChannels } from './agent-channels.js';
import { AgentGatewaySocket } from './agent.gateway.js';
import { ChatChannels } from './chat-channels.js';
import { ChatGateway } from './chat.gateway.js';
import { SocketAuthenticator } from './socket-authenticator.js';
import { SocketCounts } from './socket-counts.js';
import { SocketRights } from './socket-rights.js';
import type { RoomServices } from './socket-rooms.js';
import { WorkflowChannels } from './workflow-channels.js';
import { WorkflowNodesGateway } from './workflow-nodes.gateway.js';

/** What the rooms of every channel need, beside the rule of who may be there. */
const SHARED = Symbol('SHARED');
type Shared = Omit<RoomServices, 'rights'> & { dataSource: DataSource };

/** The WebSocket channels. The app has to use `ParamWsAdapter`. */
@Module({})
export class SocketsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: SocketsModule,
      providers: [
        {
          provide: SocketAuthenticator,
          inject: [PrincipalResolver, SocketTickets, Gates],
          useFactory: (principals: PrincipalResolver, tickets: SocketTickets, gates: Gates) =>
            new SocketAuthenticator(principals, tickets, gates, config.http),
        },
        { provide: SocketCounts, useFactory: () => new SocketCounts(config.live.socketsPerUser) },
        {
          provide: SHARED,
          inject: [LiveBus, PeriodicTasks, SocketCounts, DataSource],
          useFactory: (live: LiveBus, tasks: PeriodicTasks, counts: SocketCounts, dataSource: DataSource): Shared => ({
            live,
            tasks,
            counts,
            dataSource,
          }),
        },
        {
          provide: WorkflowChannels,
          inject: [SHARED, LiveBus, LiveEventLog, LivePresence, NodeRows, RevisionCache],
          useFactory: (
            shared: Shared,
            live: LiveBus,
            log: LiveEventLog,
            board: LivePresence,
            nodeRows: NodeRows,
            revisions: RevisionCache,
          ) => {
            const rights = new SocketRights(shared.dataSource, 'workflow');
            return new WorkflowChannels({ ...shared, rights }, { live, log, board, nodeRows, revisions });
          },
        },
        WorkflowNodesGateway,
        ConversationTurns,
        {
          provide: ChatChannels,
          inject: [SHARED, LiveBus, LivePresence, Turns, ConversationTurns],
          useFactory: (shared: Shared, live: LiveBus, board: LivePresence, turns: Turns, rows: ConversationTurns) => {
            const rights = new SocketRights(shared.dataSource, 'conversation');
            return new ChatChannels({ ...shared, rights }, { live, board, turns, rows });
          },
        },
        ChatGateway,
        {
          provide: AgentChannels,
          inject: [SHARED, LiveBus, AgentConsole, AgentRunFeed, Turns],
          useFactory: (shared: Shared, live: LiveBus, console: AgentConsole, feed: AgentRunFeed, turns: Turns) => {
            const rights = new SocketRights(shared.dataSource, 'agent');
            return new AgentChannels({ ...shared, rights }, { live, console, feed, turns });
          },
        },
        AgentGatewaySocket,
      ],
    };
  }
}
