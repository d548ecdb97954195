import {
  AuthoredSaves,
  AuthorsThings,
  TRACE_SETTINGS,
  TURN_HANDLERS,
  TurnsModule,
  TurnTracing,
  type TurnHandler,
} from '@app/agents';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { AgentModule } from '../agent/agent.module.js';
import { AgentTurnHandler } from '../agent/agent-turn.js';
import { DeskTurns } from '../agent/desk-turns.js';
import { ArtifactChatModule } from '../artifact-chat/artifact-chat.module.js';
import { ArtifactChatTurnHandler } from '../artifact-chat/artifact-chat-turn.js';
import { DashboardChatModule } from '../dashboard-chat/dashboard-chat.module.js';
import { DashboardChatTurnHandler } from '../dashboard-chat/dashboard-chat-turn.js';
import { BuildWorkflowTool } from '../dedicated-agent/build-workflow-tool.js';
import { DedicatedAgentTurnHandler } from '../dedicated-agent/dedicated-agent-turn.js';
import { JobTools } from '../dedicated-agent/job-tools.js';
import { DocumentTurnHandler } from './document-turn.js';
import { MemoryEncoding } from './memory-encoding.js';
import { MemoryWriter } from './memory-writer.js';
import { SecureTurnAttachments } from '../agent/secure-turn-attachments.js';
import { SummaryWriter } from './summary-writer.js';
import { SecureTurnHandler } from './secure-turn.js';
import { TableTurnHandler } from './table-turn.js';
import { TableChatModule } from '../table-chat/table-chat.module.js';
import { TableChatTurnHandler } from '../table-chat/table-chat-turn.js';
import { TURN_SETTINGS, toTurnSettings } from './turn-settings.js';
import { TitleWriter } from './title-writer.js';
import { TurnSweeps } from './turn-sweeps.js';
import { TurnWorker } from './turn-worker.js';
import { WorkflowTurnHandler } from './workflow-turn.js';

/** Every handler of this process, with the modules that it needs. One line each. */
const HANDLERS: Type<TurnHandler>[] = [
  DocumentTurnHandler,
  TableTurnHandler,
  SecureTurnHandler,
  AgentTurnHandler,
  WorkflowTurnHandler,
  TableChatTurnHandler,
  ArtifactChatTurnHandler,
  DashboardChatTurnHandler,
  DedicatedAgentTurnHandler,
];

/** Works on the turns of conversations. */
@Module({})
export class TurnsAtWorkModule {
  /** @param ports what handlers reach */
  static forRoot(config: AppConfig, ports: DynamicModule): DynamicModule {
    return {
      module: TurnsAtWorkModule,
      imports: [
        TurnsModule,
        ports,
        AgentModule.forRoot(config, ports),
        TableChatModule.forRoot(ports),
        ArtifactChatModule.forRoot(ports),
        DashboardChatModule.forRoot(ports),
      ],
      providers: [
        ...HANDLERS,
        DeskTurns,
        JobTools,
        BuildWorkflowTool,
        AuthorsThings,
        AuthoredSaves,
        SecureTurnAttachments,
        {
          provide: TURN_HANDLERS,
          inject: HANDLERS,
          useFactory: (...handlers: TurnHandler[]): readonly TurnHandler[] => handlers,
        },
        { provide: TURN_SETTINGS, useValue: toTurnSettings(config) },
        { provide: TRACE_SETTINGS, useValue: { days: config.turns.traceDays } },
        TurnTracing,
        TurnWorker,
        TitleWriter,
        SummaryWriter,
        MemoryEncoding,
        MemoryWriter,
        TurnSweeps,
      ],
    };
  }
}
