import { PrincipalResolver, SocketTickets } from '@app/auth';
import type { AppConfig } from '@app/config';
import { LiveBus, LiveEventLog, LivePresence } from '@app/live';
import { PeriodicTasks } from '@app/queues';
import { NodeRows, RevisionCache } from '@app/workflows';
import { type DynamicModule, Module } from '@nestjs/common';
import { SocketAuthenticator } from './socket-authenticator.js';
import { SocketRights } from './socket-rights.js';
import { WorkflowChannels } from './workflow-channels.js';
import { WorkflowNodesGateway } from './workflow-nodes.gateway.js';

/** The WebSocket channels. The app has to use `ParamWsAdapter`. */
@Module({})
export class SocketsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: SocketsModule,
      providers: [
        {
          provide: SocketAuthenticator,
          inject: [PrincipalResolver, SocketTickets],
          useFactory: (principals: PrincipalResolver, tickets: SocketTickets) =>
            new SocketAuthenticator(principals, tickets, config.http),
        },
        SocketRights,
        {
          provide: WorkflowChannels,
          inject: [LiveBus, LiveEventLog, LivePresence, NodeRows, RevisionCache, SocketRights, PeriodicTasks],
          useFactory: (
            live: LiveBus,
            log: LiveEventLog,
            board: LivePresence,
            nodeRows: NodeRows,
            revisions: RevisionCache,
            rights: SocketRights,
            tasks: PeriodicTasks,
          ) => new WorkflowChannels(live, log, board, nodeRows, revisions, rights, tasks, config.live.socketsPerUser),
        },
        WorkflowNodesGateway,
      ],
    };
  }
}
