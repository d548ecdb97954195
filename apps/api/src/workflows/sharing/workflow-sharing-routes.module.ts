import { WorkflowSharingModule } from '@app/workflows';
import { Module } from '@nestjs/common';
import { ActingController } from './acting.controller.js';
import { CollaboratorsController } from './collaborators.controller.js';
import { SharingController } from './sharing.controller.js';
import { TransfersController } from './transfers.controller.js';

@Module({
  imports: [WorkflowSharingModule],
  controllers: [ActingController, CollaboratorsController, SharingController, TransfersController],
})
export class WorkflowSharingRoutesModule {}
