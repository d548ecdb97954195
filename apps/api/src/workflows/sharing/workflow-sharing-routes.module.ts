import { WorkflowSharingModule } from '@app/workflows';
import { Module } from '@nestjs/common';
import { CollaboratorsController } from './collaborators.controller.js';
import { SharingController } from './sharing.controller.js';
import { TransfersController } from './transfers.controller.js';

@Module({
  imports: [WorkflowSharingModule],
  controllers: [CollaboratorsController, SharingController, TransfersController],
})
export class WorkflowSharingRoutesModule {}
