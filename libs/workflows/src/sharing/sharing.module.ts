import { Module } from '@nestjs/common';
import { AppConsent } from './app-consent.js';
import { HandOver } from './hand-over.js';
import { WorkflowNotices } from './sharing-notices.js';
import { WorkflowAdoption } from './workflow-adoption.js';
import { WorkflowCollaborators } from './workflow-collaborators.js';
import { WorkflowCopies } from './workflow-copies.js';
import { WorkflowSharing } from './workflow-sharing.js';
import { WorkflowTransfers } from './workflow-transfers.js';

/** People of a workflow. Stands on the app's WorkflowsModule, MessagesModule and AuditModule. */
@Module({
  providers: [
    AppConsent,
    WorkflowAdoption,
    HandOver,
    WorkflowNotices,
    WorkflowCollaborators,
    WorkflowCopies,
    WorkflowSharing,
    WorkflowTransfers,
  ],
  exports: [AppConsent, WorkflowAdoption, WorkflowCollaborators, WorkflowSharing, WorkflowTransfers],
})
export class WorkflowSharingModule {}
