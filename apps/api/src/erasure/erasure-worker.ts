import { eraseAccountJob } from '@app/contracts';
import { ErasureRegistry, ErasureRunner } from '@app/erasure';
import { OwnedDocuments } from '@app/documents';
import { HandlesJob, PeriodicTasks } from '@app/queues';
import { OwnedTabularFiles } from '@app/tabular';
import { OwnedWorkflows } from '@app/workflows';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OwnedAccount, OwnedAuditEntries, OwnedFiles, OwnedSubscription } from './owned-account.js';
import { OwnedChats } from './owned-chats.js';

const SWEEP_SECONDS = 5;

/** The api erases: it alone knows every domain. Here stand those that do not register themselves. */
@Injectable()
export class ErasureWorker implements OnModuleInit {
  constructor(
    private readonly runner: ErasureRunner,
    private readonly tasks: PeriodicTasks,
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

  onModuleInit(): void {
    this.tasks.every('erasures', SWEEP_SECONDS, () => this.runner.sweep());
  }

  @HandlesJob(eraseAccountJob)
  erase({ erasureId }: { erasureId: string }): Promise<void> {
    return this.runner.run(erasureId);
  }
}
