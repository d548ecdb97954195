import { Module } from '@nestjs/common';
import { HandOver } from './hand-over.js';
import { OwnedTransfers } from './owned-transfers.js';
import { WorkflowNotices } from './sharing-notices.js';
import { WorkflowCollaborators } from './workflow-collaborators.js';
import { WorkflowCopies } from './workflow-copies.js';
import { WorkflowSharing } from './workflow-sharing.js';
import { WorkflowTransfers } from './workflow-transfers.js';

/** People of a workflow. Stands on the app's WorkflowsModule, MessagesModule, AuditModule and ErasureModule. */
@Module({
  providers: [
    HandOver,
    OwnedTransfers,
    WorkflowNotices,
    WorkflowCollaborators,
    WorkflowCopies,
    WorkflowSharing,
    WorkflowTransfers,
  ],
  exports: [WorkflowCollaborators, WorkflowSharing, WorkflowTransfers],
})
export class WorkflowSharingModule {}
