import { OwnedChats } from '@app/agents';
import { OwnedAccount, OwnedExports } from '@app/auth';
import { OwnedDocuments } from '@app/documents';
import { OwnedModelUsage } from '@app/models';
import { OwnedTabularFiles } from '@app/tabular';
import { OwnedWorkflows, OwnedWrittenFiles } from '@app/workflows';
import { Module } from '@nestjs/common';
import { AccountDeletion } from './account-deletion.js';
import { DeletionController } from './deletion.controller.js';
import { ErasureWorker } from './erasure-worker.js';
import { OwnedAuditEntries, OwnedSubscription } from './owned-others.js';

@Module({
  controllers: [DeletionController],
  providers: [
    AccountDeletion,
    ErasureWorker,
    OwnedSubscription,
    OwnedWorkflows,
    OwnedDocuments,
    OwnedTabularFiles,
    OwnedChats,
    OwnedModelUsage,
    OwnedWrittenFiles,
    OwnedExports,
    OwnedAuditEntries,
    OwnedAccount,
  ],
})
export class ErasureRoutesModule {}
