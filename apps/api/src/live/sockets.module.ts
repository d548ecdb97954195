import { PrincipalResolver, SocketTickets } from '@app/auth';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { SocketAuthenticator } from './socket-authenticator.js';
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
        WorkflowChannels,
        WorkflowNodesGateway,
      ],
    };
  }
}
