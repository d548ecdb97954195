import type { AppConfig } from '@app/config';
import { type DynamicModule, Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { McpAuthorization } from './client/authorization.js';
import { McpConnector } from './client/mcp-connector.js';
import { ServerAuthorization } from './client/server-authorization.js';
import { SessionPool } from './client/session-pool.js';
import { ServerContents } from './calls/server-contents.js';
import { ServerOutcomes } from './servers/server-outcomes.js';
import { ServerProbe } from './servers/server-probe.js';
import { ServerRecords } from './servers/server-records.js';
import { StoredServers } from './servers/stored-server.js';
import { McpTools } from './calls/mcp-tools.js';
import { StoredTools } from './tools/stored-tools.js';
import { ToolLists } from './calls/tool-lists.js';
import { OAUTH_SERVICES, oauthProviders } from './oauth/oauth-providers.js';

@Injectable()
class PoolEnd implements OnModuleDestroy {
  constructor(private readonly pool: SessionPool) {}

  async onModuleDestroy(): Promise<void> {
    await this.pool.close();
  }
}

/** The client side of MCP: connected servers, their sessions, tools, resources and prompts. */
@Module({})
export class McpModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: McpModule,
      global: true,
      providers: [
        ...oauthProviders(config),
        { provide: McpAuthorization, useClass: ServerAuthorization },
        {
          provide: McpConnector,
          inject: [McpAuthorization],
          useFactory: (authorization: McpAuthorization) => new McpConnector(authorization, config.mcp),
        },
        {
          provide: SessionPool,
          inject: [McpConnector, ServerOutcomes],
          useFactory: (connector: McpConnector, outcomes: ServerOutcomes) =>
            new SessionPool(connector, (server) => outcomes.markStale(server, true)),
        },
        PoolEnd,
        StoredServers,
        ServerRecords,
        StoredTools,
        ServerOutcomes,
        ServerProbe,
        ServerContents,
        ToolLists,
        McpTools,
      ],
      exports: [
        ...OAUTH_SERVICES,
        McpConnector,
        SessionPool,
        StoredServers,
        ServerRecords,
        StoredTools,
        ServerOutcomes,
        ServerProbe,
        ServerContents,
        McpTools,
        McpAuthorization,
      ],
    };
  }
}
