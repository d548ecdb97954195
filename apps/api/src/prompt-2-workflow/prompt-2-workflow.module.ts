import { Module } from '@nestjs/common';
import { ProfileModule } from '../profile/profile.module.js';
import { AuthoringController } from './authoring.controller.js';
import { AuthoringService } from './authoring.service.js';
import { AuthoringTurns } from './authoring-turns.js';
import { OwnedAuthoring } from './owned-authoring.js';
import { RepeatedTurns } from './repeated-turns.js';
import { WorkflowAuthor } from './workflow-author.js';

@Module({
  imports: [ProfileModule],
  controllers: [AuthoringController],
  providers: [AuthoringService, AuthoringTurns, OwnedAuthoring, RepeatedTurns, WorkflowAuthor],
})
export class PromptToWorkflowModule {}
