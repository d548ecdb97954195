import { GrantedApprovals } from '@app/agents';
import { DedicatedAgentModule } from '@app/dedicated-agent';
import { Module } from '@nestjs/common';
import { AttachedFiles } from '../secure-gpt/attached-files.js';
import { AgentGrantsController } from './agent-grants.controller.js';
import { AgentJobsController } from './agent-jobs.controller.js';
import { AgentLifeController } from './agent-life.controller.js';
import { AgentRunsController } from './agent-runs.controller.js';

/** The dedicated agent over HTTP (docs/contract/dedicated-agent.md). */
@Module({
  imports: [DedicatedAgentModule.forRoot()],
  controllers: [AgentLifeController, AgentRunsController, AgentGrantsController, AgentJobsController],
  providers: [GrantedApprovals, AttachedFiles],
})
export class DedicatedAgentRoutesModule {}
