import { Module } from '@nestjs/common';
import { ConversationController } from './conversation/conversation.controller.js';
import { RunAnswers } from './conversation/run-answers.js';
import { RunConversations } from './conversation/run-conversations.js';
import { RunStreamController } from './conversation/run-stream.controller.js';
import { HistoryController } from './history/history.controller.js';
import { OutputsController } from './outputs/outputs.controller.js';
import { RunEvents } from './history/run-events.js';
import { RunEventsController } from './history/run-events.controller.js';
import { WorkflowImportsController } from './imports/imports.controller.js';
import { RunsController } from './runs.controller.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { WorkflowSecretsModule } from './secrets/workflow-secrets.module.js';
import { TagsController } from './tags/tags.controller.js';
import { WorkflowSharingRoutesModule } from './sharing/workflow-sharing-routes.module.js';
import { DefinitionSchemaController } from './definition-schema.controller.js';
import { ToolCatalogueController } from './tool-catalogue.controller.js';
import { ToolListing } from './tool-listing.js';
import { WorkflowTrashController } from './trash/trash.controller.js';
import { VersionsController } from './versions/versions.controller.js';
import { WorkflowsController } from './workflows.controller.js';

@Module({
  imports: [WorkflowSharingRoutesModule, WorkflowSecretsModule],
  providers: [RunAnswers, RunConversations, ToolListing, RunEvents],
  controllers: [
    ConversationController,
    RunStreamController,
    HistoryController,
    RunEventsController,
    OutputsController,
    RunsController,
    SchedulesController,
    ToolCatalogueController,
    DefinitionSchemaController,
    TagsController,
    WorkflowTrashController,
    VersionsController,
    WorkflowImportsController,
    WorkflowsController,
  ],
})
export class WorkflowRoutesModule {}
