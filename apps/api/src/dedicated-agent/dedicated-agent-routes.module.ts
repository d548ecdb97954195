import { ChatMessages, GrantedApprovals } from '@app/agents';
import { Module } from '@nestjs/common';
import { AttachedFiles } from '../secure-gpt/attached-files.js';
import { AgentBudgetController } from './agent-budget.controller.js';
import { AgentConsoleController } from './agent-console.controller.js';
import { AgentGrantsController } from './agent-grants.controller.js';
import { AgentJobsController } from './agent-jobs.controller.js';
import { AgentLifeController } from './agent-life.controller.js';
import { AgentRunsController } from './agent-runs.controller.js';
import { ConsoleAnswers } from './console-answers.js';

/** The dedicated agent over HTTP (docs/contract/dedicated-agent.md); beside the app's DedicatedAgentModule. */
@Module({
  controllers: [
    AgentLifeController,
    AgentConsoleController,
    AgentRunsController,
    AgentGrantsController,
    AgentJobsController,
    AgentBudgetController,
  ],
  providers: [GrantedApprovals, AttachedFiles, ChatMessages, ConsoleAnswers],
})
export class DedicatedAgentRoutesModule {}
