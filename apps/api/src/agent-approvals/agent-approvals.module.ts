import { GrantedApprovals } from '@app/agents';
import { Module } from '@nestjs/common';
import { AgentApprovalsController } from './agent-approvals.controller.js';

@Module({
  controllers: [AgentApprovalsController],
  providers: [GrantedApprovals],
})
export class AgentApprovalsModule {}
