import { AuthorizationRequests, OAuthClients, OAuthTokens, OAuthMaintenance } from '@app/auth';
import type { AppConfig } from '@app/config';
import { ReadableDocuments } from '@app/documents';
import { RetrievalModule } from '@app/retrieval';
import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AllowedCallers } from './allowed-callers.js';
import { CallsUnderWay } from './calls/calls-under-way.js';
import { DocumentPages } from './documents/document-pages.js';
import { DocumentResources } from './documents/document-resources.js';
import { challengeOf, McpAddress } from './mcp-address.js';
import { MCP_LIMITS, toMcpLimits } from './mcp-limits.js';
import { McpServers } from './mcp-servers.js';
import { McpController } from './mcp.controller.js';
import { ConsentPage } from './oauth/consent-page.js';
import { ConsentController } from './oauth/consent.controller.js';
import { OAuthController } from './oauth/oauth.controller.js';
import { DocumentTools } from './tools/document-tools.js';
import { RunViews } from './tools/run-views.js';
import { TableTools } from './tools/table-tools.js';
import { ToolShelf } from './tools/tool-shelf.js';
import { WorkflowTools } from './tools/workflow-tools.js';

/** Atrium as an MCP server. Stands on the app's WorkflowsModule, TabularModule and table questions. */
@Module({})
export class McpEndpointModule implements NestModule {
  constructor(private readonly address: McpAddress) {}

  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: McpEndpointModule,
      imports: [RetrievalModule],
      controllers: [McpController, OAuthController, ConsentController],
      providers: [
        { provide: MCP_LIMITS, useValue: toMcpLimits(config) },
        { provide: AllowedCallers, useFactory: () => new AllowedCallers(config.http, config.mcpServer.hosts) },
        { provide: McpAddress, useFactory: () => new McpAddress() },
        ReadableDocuments,
        DocumentPages,
        DocumentResources,
        DocumentTools,
        TableTools,
        RunViews,
        WorkflowTools,
        ToolShelf,
        CallsUnderWay,
        McpServers,
        { provide: ConsentPage, useFactory: () => new ConsentPage(config.http) },
        OAuthClients,
        AuthorizationRequests,
        OAuthTokens,
        OAuthMaintenance,
      ],
    };
  }

  /** Before the guards: whoever they turn away learns where tokens come from. */
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(challengeOf(this.address)).forRoutes(McpController);
  }
}
