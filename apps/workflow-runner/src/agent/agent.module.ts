import {
  AgentHistory,
  GrantedApprovals,
  HeardInSessions,
  KeptMemories,
  Memories,
  MemoryEncoder,
  MemoryRows,
  PastTurns,
  SessionSummaries,
  MemorySearch,
  MemoryVectors,
} from '@app/agents';
import { SystemClock } from '@app/common';
import type { AppConfig } from '@app/config';
import { McpTools, ServerContents, ServerRecords } from '@app/mcp';
import type { ToolPorts } from '@app/workflow-definition';
import { Gates } from '@app/entitlements';
import { Embeddings, ImageGeneration, ThreadedEmbeddings } from '@app/integrations';
import { toolCatalogue } from '@app/workflow-tools';
import { RunControl, RunResults, WorkflowAccess, WorkflowReader } from '@app/workflows';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { TOOL_PORTS } from '../ports/tool-ports.js';
import { SecureTurnAttachments } from './secure-turn-attachments.js';
import { AgentOpening } from './agent-opening.js';
import { AGENT_SETTINGS, toAgentSettings } from './agent-settings.js';
import { AgentToolbox } from './agent-toolbox.js';
import { DataAtHand } from './data-at-hand.js';
import { CatalogueTools } from './catalogue-tools.js';
import { MemoryTools } from './memory-tools.js';
import { ResourceTools } from './resource-tools.js';
import { ServerTools } from './server-tools.js';
import { ToolLikeness } from './tool-likeness.js';
import { WorkflowTools } from './workflow-tools.js';

/** What the agent's turns rest on. */
@Module({})
export class AgentModule {
  /** @param ports what tools reach */
  static forRoot(config: AppConfig, ports: DynamicModule): DynamicModule {
    return {
      module: AgentModule,
      imports: [ports],
      providers: [
        AgentHistory,
        PastTurns,
        SessionSummaries,
        DataAtHand,
        AgentOpening,
        SecureTurnAttachments,
        GrantedApprovals,
        HeardInSessions,
        MemoryRows,
        MemorySearch,
        MemoryVectors,
        {
          provide: MemoryEncoder,
          inject: [Embeddings],
          useFactory: (embeddings: Embeddings): MemoryEncoder =>
            embeddings.enabled || config.agents.memoryEncoder === 'off' ? embeddings : new ThreadedEmbeddings(),
        },
        { provide: Memories, useClass: KeptMemories },
        { provide: AGENT_SETTINGS, useValue: toAgentSettings(config) },
        {
          provide: AgentToolbox,
          inject: [
            TOOL_PORTS,
            DataSource,
            McpTools,
            ServerRecords,
            ServerContents,
            MemoryRows,
            MemorySearch,
            WorkflowReader,
            WorkflowAccess,
            RunControl,
            RunResults,
            ImageGeneration,
            Embeddings,
            Gates,
          ],
          useFactory: (
            toolPorts: ToolPorts,
            database: DataSource,
            servers: McpTools,
            records: ServerRecords,
            contents: ServerContents,
            memories: MemoryRows,
            search: MemorySearch,
            reader: WorkflowReader,
            access: WorkflowAccess,
            control: RunControl,
            results: RunResults,
            images: ImageGeneration,
            embeddings: Embeddings,
            gates: Gates,
          ) =>
            new AgentToolbox(
              new CatalogueTools(toolCatalogue, toolPorts, new SystemClock()),
              new WorkflowTools({ reader, access, control, results }),
              new ServerTools(servers, toolPorts.storage),
              new ResourceTools(records, contents, toolPorts.storage),
              new MemoryTools(database, memories, search),
              database,
              toolPorts,
              images,
              embeddings.enabled ? likenessBy(embeddings) : null,
              gates,
            ),
        },
      ],
      exports: [
        AgentHistory,
        SessionSummaries,
        DataAtHand,
        AgentOpening,
        GrantedApprovals,
        HeardInSessions,
        Memories,
        MemoryRows,
        MemorySearch,
        MemoryVectors,
        AGENT_SETTINGS,
        AgentToolbox,
        ports,
      ],
    };
  }
}

/** The built-in encoder is weak: words count more than it at any rate. */
const LEAST_WEIGHT = 0.25;
const MOST_WEIGHT = 0.5;

function likenessBy(embeddings: Embeddings) {
  const likeness = new ToolLikeness(embeddings);
  const weight = Math.min(MOST_WEIGHT, Math.max(LEAST_WEIGHT, embeddings.hybridWeight));
  return { of: likeness.of.bind(likeness), weight };
}
