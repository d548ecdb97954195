import { GrantedApprovals } from '@app/agents';
import { Module } from '@nestjs/common';
import { AttachedFiles } from '../secure-gpt/attached-files.js';
import { AgentGrantsController } from './agent-grants.controller.js';
import { AgentLifeController } from './agent-life.controller.js';
import { AgentRunsController } from './agent-runs.controller.js';

/** The dedicated agent over HTTP (docs/contract/dedicated-agent.md); beside the app's DedicatedAgentModule. */
@Module({
  controllers: [AgentLifeController, AgentRunsController, AgentGrantsController],
  providers: [GrantedApprovals, AttachedFiles],
})
export class DedicatedAgentRoutesModule {}
