import { Module } from '@nestjs/common';
import { RunsController } from './runs.controller.js';
import { ToolCatalogueController } from './tool-catalogue.controller.js';
import { WorkflowsController } from './workflows.controller.js';

@Module({ controllers: [RunsController, ToolCatalogueController, WorkflowsController] })
export class WorkflowRoutesModule {}
