import { OwnedInvitations, SentInvitations } from '@app/access';
import {
  DocumentQuotes,
  OwnedApprovals,
  OwnedChats,
  OwnedMemories,
  OwnedTabularMessages,
  OwnedTraces,
  TraceRows,
  TurnWorkLog,
} from '@app/agents';
import { OwnedArtifacts, OwnedBoards, OwnedCharts } from '@app/artifacts';
import { AuditLog } from '@app/audit';
import {
  ExportWriter,
  MetadataStore,
  OwnedAccount,
  OwnedCodes,
  OwnedExports,
  OwnedIdentities,
  OwnedMemberships,
  OwnedMetadata,
  OwnedOrganizationInvitations,
  OwnedPasskeys,
} from '@app/auth';
import { OwnedSubscriptions } from '@app/billing';
import type { AppConfig } from '@app/config';
import { OwnedDataSources } from '@app/data-sources';
import { OwnedAgentBudgets, OwnedAgentJobs, OwnedDedicatedAgents } from '@app/dedicated-agent';
import {
  DOCUMENT_TRACES,
  type DocumentTrace,
  OwnedAccessRequests,
  OwnedDocuments,
  OwnedLinks,
  OwnedResumableUploads,
  OwnedShareMirrors,
  OwnedSources,
  ResumableFiles,
  toUploadSettings,
  UPLOAD_SETTINGS,
} from '@app/documents';
import { OwnedReservations, OwnedUsage } from '@app/entitlements';
import { ErasureRegistry, ErasureRunner } from '@app/erasure';
import { DocumentsInTables, OwnedTables } from '@app/extraction';
import { OwnedMcpServers } from '@app/mcp';
import { MessagesOfAccount } from '@app/messages';
import { OwnedModels, OwnedModelUsage } from '@app/models';
import { SummaryJobs } from '@app/retrieval';
import { OwnedTabularFiles } from '@app/tabular';
import { WorkClaims } from '@app/work';
import { OwnedAuthoring, OwnedTransfers, OwnedWorkflows, OwnedWrittenFiles } from '@app/workflows';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountWorker } from './account-worker.js';
import { OwnedMessages } from './owned-messages.js';
import { OwnedAuditEntries } from './owned-others.js';

/** What accounts can own. One line each. */
const OWNED = [
  OwnedAccessRequests,
  OwnedAccount,
  OwnedApprovals,
  OwnedArtifacts,
  OwnedAuditEntries,
  OwnedAuthoring,
  OwnedBoards,
  OwnedCharts,
  OwnedChats,
  OwnedCodes,
  OwnedDataSources,
  OwnedAgentBudgets,
  OwnedAgentJobs,
  OwnedDedicatedAgents,
  OwnedDocuments,
  OwnedExports,
  OwnedIdentities,
  OwnedInvitations,
  OwnedLinks,
  OwnedMcpServers,
  OwnedMemberships,
  OwnedMemories,
  OwnedMessages,
  OwnedMetadata,
  OwnedModels,
  OwnedModelUsage,
  OwnedOrganizationInvitations,
  OwnedPasskeys,
  OwnedReservations,
  OwnedResumableUploads,
  OwnedShareMirrors,
  OwnedSources,
  OwnedSubscriptions,
  OwnedTables,
  OwnedTabularFiles,
  OwnedTabularMessages,
  OwnedTraces,
  OwnedTransfers,
  OwnedUsage,
  OwnedWorkflows,
  OwnedWrittenFiles,
];

/**
 * Erasures and exports of accounts. Stands on the app's global modules, `AuditModule`, `BillingModule`, `MessagesModule`
 * and `WorkflowsModule` among them.
 */
@Module({})
export class AccountsAtWorkModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: AccountsAtWorkModule,
      providers: [
        ...OWNED,
        // What these ask of their domains.
        DocumentQuotes,
        DocumentsInTables,
        SummaryJobs,
        TraceRows,
        TurnWorkLog,
        {
          provide: DOCUMENT_TRACES,
          inject: [DocumentQuotes, DocumentsInTables, SummaryJobs],
          useFactory: (...traces: DocumentTrace[]) => traces,
        },
        MessagesOfAccount,
        MetadataStore,
        ResumableFiles,
        SentInvitations,
        { provide: UPLOAD_SETTINGS, useValue: toUploadSettings(config) },
        ErasureRegistry,
        {
          provide: ErasureRunner,
          inject: [DataSource, WorkClaims, ErasureRegistry, AuditLog],
          useFactory: (dataSource: DataSource, claims: WorkClaims, registry: ErasureRegistry, audit: AuditLog) =>
            new ErasureRunner(dataSource, claims, registry, audit),
        },
        ExportWriter,
        AccountWorker,
      ],
    };
  }
}
