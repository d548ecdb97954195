import { OwnedChats } from '@app/agents';
import { OwnedAccount, OwnedExports } from '@app/auth';
import { OwnedDocuments } from '@app/documents';
import { type ClaimedErasure, ErasureRegistry, ErasureRunner, erasureWork } from '@app/erasure';
import { OwnedTabularFiles } from '@app/tabular';
import { type Claim, Performs } from '@app/work';
import { OwnedWorkflows, OwnedWrittenFiles } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { OwnedAuditEntries, OwnedSubscription } from './owned-others.js';

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
    files: OwnedWrittenFiles,
    exports: OwnedExports,
    audit: OwnedAuditEntries,
    account: OwnedAccount,
  ) {
    for (const data of [subscription, workflows, documents, tables, chats, files, exports, audit, account])
      registry.register(data);
  }

  @Performs(erasureWork)
  erase(claim: Claim<ClaimedErasure>, signal: AbortSignal): Promise<void> {
    return this.runner.run(claim, signal);
  }
}
