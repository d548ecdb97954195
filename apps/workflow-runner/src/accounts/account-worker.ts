import { OwnedChats } from '@app/agents';
import { type ClaimedExport, ExportWriter, exportWork, OwnedAccount, OwnedExports } from '@app/auth';
import { OwnedDocuments } from '@app/documents';
import { type ClaimedErasure, ErasureRegistry, ErasureRunner, erasureWork } from '@app/erasure';
import { OwnedTabularFiles } from '@app/tabular';
import { type Claim, Performs } from '@app/work';
import { OwnedWorkflows, OwnedWrittenFiles } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { OwnedAuditEntries } from './owned-others.js';

/** Erases accounts, and writes copies of what they hold. Here stand the domains that do not register themselves. */
@Injectable()
export class AccountWorker {
  constructor(
    private readonly erasures: ErasureRunner,
    private readonly exports: ExportWriter,
    registry: ErasureRegistry,
    workflows: OwnedWorkflows,
    documents: OwnedDocuments,
    tables: OwnedTabularFiles,
    chats: OwnedChats,
    files: OwnedWrittenFiles,
    copies: OwnedExports,
    audit: OwnedAuditEntries,
    account: OwnedAccount,
  ) {
    for (const data of [workflows, documents, tables, chats, files, copies, audit, account]) registry.register(data);
  }

  @Performs(erasureWork)
  erase(claim: Claim<ClaimedErasure>, signal: AbortSignal): Promise<void> {
    return this.erasures.run(claim, signal);
  }

  @Performs(exportWork)
  export(claim: Claim<ClaimedExport>, signal: AbortSignal): Promise<void> {
    return this.exports.write(claim, signal);
  }
}
