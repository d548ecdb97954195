import { Module } from '@nestjs/common';
import { WorkflowSecretsController } from './workflow-secrets.controller.js';
import { WorkflowSecretsService } from './workflow-secrets.service.js';

@Module({
  controllers: [WorkflowSecretsController],
  providers: [WorkflowSecretsService],
  exports: [WorkflowSecretsService],
})
export class WorkflowSecretsModule {}
