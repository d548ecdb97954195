import { AuthoringTurns } from '@app/workflows';
import { Module } from '@nestjs/common';
import { AuthoringController } from './authoring.controller.js';
import { AuthoredSaves } from './authored-saves.js';
import { AuthoringService } from './authoring.service.js';
import { AuthorsThings } from './authors-things.js';
import { RepeatedTurns } from './repeated-turns.js';
import { WorkflowAuthor } from './workflow-author.js';

@Module({
  controllers: [AuthoringController],
  providers: [AuthoredSaves, AuthoringService, AuthoringTurns, AuthorsThings, RepeatedTurns, WorkflowAuthor],
})
export class PromptToWorkflowModule {}
