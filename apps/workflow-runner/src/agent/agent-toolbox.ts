import { type AgentTool, type AgentToolsOptions } from '@app/agents';
import { Charts } from '@app/artifacts';
import type { Feature, Gates } from '@app/entitlements';
import type { ImageGeneration } from '@app/integrations';
import type { ToolPorts } from '@app/workflow-definition';
import type { DataSource } from 'typeorm';
import type { CatalogueTools, TurnCaller } from './catalogue-tools.js';
import { chartTool } from './chart-tool.js';
import { imageTool } from './image-tool.js';
import type { MemoryTools } from './memory-tools.js';
import type { ResourceTools } from './resource-tools.js';
import type { ServerTools } from './server-tools.js';
import { tableListTool } from './table-list.js';
import type { WorkflowTools } from './workflow-tools.js';

/** What questions are answered with most: shown before others where a model reads too little for all of them. */
const SHOWN_FIRST = [
  'semantic_search',
  'list_tables',
  'database_query',
  'pdf_text',
  'read_result',
  'list_documents',
  'code',
  'file_writer',
  'remember',
  'read_file',
  'show_chart',
  'spreadsheet_read',
  'http_request',
];

/** What a conversation is given. */
export interface OpenedTools {
  own: AgentTool[];
  connected: AgentTool[];
  /** For when they are too many to be shown, or not there. */
  finding: Pick<AgentToolsOptions, 'first' | 'instructions' | 'likeness' | 'whyMissing'>;
}

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
    private readonly images: ImageGeneration,
    private readonly likeness: AgentToolsOptions['likeness'] | null,
    private readonly gates: Gates,
  ) {}

  /** For a conversation: the product's own tools, and those of the servers that the user has connected. */
  async open(caller: TurnCaller, signal: AbortSignal): Promise<OpenedTools> {
    const { viewer } = caller;
    const [missing, connected, resources, instructions, memories] = await Promise.all([
      this.gates.missingOf(viewer.userId),
      this.servers.list(viewer, signal),
      this.resources.list(viewer),
      this.servers.instructions(viewer),
      this.memories.list(caller),
    ]);
    const picture = imageTool(this.images, this.ports.storage, caller);
    // What the plan lacks is not offered.
    const has = (feature: string | undefined) => !missing.has(feature as Feature);
    const own = [
      ...this.catalogue.list(caller, ({ feature }) => has(feature)),
      tableListTool(this.database, viewer),
      ...(has('dashboards') ? [chartTool(new Charts(this.database), this.ports, caller)] : []),
      ...(has('flowapps') ? this.workflows.list(viewer) : []),
      ...resources,
      ...memories,
      ...(picture ? [picture] : []),
    ];
    const whyMissing = (name: string) => this.servers.whyMissing(viewer, name);
    const finding = { first: SHOWN_FIRST, instructions, whyMissing, ...(this.likeness && { likeness: this.likeness }) };
    return { own, connected, finding };
  }
}
