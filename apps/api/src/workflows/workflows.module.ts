import { Module } from '@nestjs/common';
import { RunsController } from './runs.controller.js';
import { WorkflowSecretsModule } from './secrets/workflow-secrets.module.js';
import { ToolCatalogueController } from './tool-catalogue.controller.js';
import { WorkflowsController } from './workflows.controller.js';

@Module({
  imports: [WorkflowSecretsModule],
  controllers: [RunsController, ToolCatalogueController, WorkflowsController],
})
export class WorkflowRoutesModule {}
