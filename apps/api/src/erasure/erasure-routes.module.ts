import { OwnedDocuments } from '@app/documents';
import { OwnedModelUsage } from '@app/models';
import { OwnedTabularFiles } from '@app/tabular';
import { OwnedWorkflows } from '@app/workflows';
import { Module } from '@nestjs/common';
import { AccountDeletion } from './account-deletion.js';
import { DeletionController } from './deletion.controller.js';
import { ErasureWorker } from './erasure-worker.js';
import { OwnedAccount, OwnedAuditEntries, OwnedFiles, OwnedSubscription } from './owned-account.js';
import { OwnedChats } from './owned-chats.js';

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
    OwnedFiles,
    OwnedAuditEntries,
    OwnedAccount,
  ],
})
export class ErasureRoutesModule {}
