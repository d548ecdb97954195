import { McpServers, ToolAcceptance } from '@app/mcp';
import { Module } from '@nestjs/common';
import { ServerContentsController } from './server-contents.controller.js';
import { ServerToolsController } from './server-tools.controller.js';
import { ServersController } from './servers.controller.js';

/** Connected tool servers over HTTP (docs/contract/mcp.md#tool-servers). */
@Module({
  controllers: [ServersController, ServerToolsController, ServerContentsController],
  providers: [McpServers, ToolAcceptance],
})
export class McpServersModule {}
