import { type AgentTool, Charts } from '@app/agents';
import type { ToolPorts } from '@app/workflow-definition';
import type { DataSource } from 'typeorm';
import type { CatalogueTools, TurnCaller } from './catalogue-tools.js';
import { chartTool } from './chart-tool.js';
import type { MemoryTools } from './memory-tools.js';
import type { ResourceTools } from './resource-tools.js';
import type { ServerTools } from './server-tools.js';
import { tableListTool } from './table-list.js';
import type { WorkflowTools } from './workflow-tools.js';

/** Every tool that an agent may be given, each with the rights of the user for whom it works. */
export class AgentToolbox {
  constructor(
    private readonly catalogue: CatalogueTools,
    private readonly workflows: WorkflowTools,
    private readonly servers: ServerTools,
    private readonly resources: ResourceTools,
    private readonly memories: MemoryTools,
    private readonly database: DataSource,
    private readonly ports: ToolPorts,
  ) {}

  /** For a conversation: the product's own tools, and those of the servers that the user has connected. */
  async open(caller: TurnCaller, signal: AbortSignal): Promise<{ own: AgentTool[]; connected: AgentTool[] }> {
    const { viewer } = caller;
    const [connected, resources, memories] = await Promise.all([
      this.servers.list(viewer, signal),
      this.resources.list(viewer),
      this.memories.list(caller),
    ]);
    const own = [
      ...this.catalogue.list(caller),
      tableListTool(this.database, viewer),
      chartTool(new Charts(this.database), this.ports, caller),
      ...this.workflows.list(viewer),
      ...resources,
      ...memories,
    ];
    return { own, connected };
  }
}
