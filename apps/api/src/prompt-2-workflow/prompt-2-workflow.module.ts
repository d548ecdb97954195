import { AuthoringTurns } from '@app/workflows';
import { Module } from '@nestjs/common';
import { AuthoringController } from './authoring.controller.js';
import { AuthoringService } from './authoring.service.js';
import { RepeatedTurns } from './repeated-turns.js';
import { WorkflowAuthor } from './workflow-author.js';

@Module({
  controllers: [AuthoringController],
  providers: [AuthoringService, AuthoringTurns, RepeatedTurns, WorkflowAuthor],
})
export class PromptToWorkflowModule {}
