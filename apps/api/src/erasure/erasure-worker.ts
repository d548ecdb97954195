import { ErasureRegistry, ErasureRunner, erasureWork, type ClaimedErasure } from '@app/erasure';
import { OwnedDocuments } from '@app/documents';
import { OwnedTabularFiles } from '@app/tabular';
import { Performs, type Claim } from '@app/work';
import { OwnedWorkflows } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { OwnedAccount, OwnedAuditEntries, OwnedFiles, OwnedSubscription } from './owned-account.js';
import { OwnedChats } from './owned-chats.js';

/** The api erases: it alone knows every domain. Here stand those that do not register themselves. */
@Injectable()
export class ErasureWorker {
  constructor(
    private readonly runner: ErasureRunner,
    registry: ErasureRegistry,
    subscription: OwnedSubscription,
    workflows: OwnedWorkflows,
    documents: OwnedDocuments,
    tables: OwnedTabularFiles,
    chats: OwnedChats,
    files: OwnedFiles,
    audit: OwnedAuditEntries,
    account: OwnedAccount,
  ) {
    for (const data of [subscription, workflows, documents, tables, chats, files, audit, account])
      registry.register(data);
  }

  @Performs(erasureWork)
  erase(claim: Claim<ClaimedErasure>, signal: AbortSignal): Promise<void> {
    return this.runner.run(claim, signal);
  }
}
