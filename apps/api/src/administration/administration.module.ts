import { ArtifactConversationsModule, TurnsModule } from '@app/agents';
import { ArtifactRemovalModule, chartsOfWorkflow } from '@app/artifacts';
import { AuditModule } from '@app/audit';
import {
  AccountAdministration,
  AccountFactory,
  AuthModule,
  OrganizationAdministration,
  PromoCodeAdministration,
  ScimTokens,
  Seats,
  SsoCredentials,
  SsoSetupTokens,
} from '@app/auth';
import { BillingModule } from '@app/billing';
import type { AppConfig } from '@app/config';
import { DedicatedAgentModule } from '@app/dedicated-agent';
import { DocumentAdministration, DocumentsModule } from '@app/documents';
import { DatabaseModule } from '@app/entities';
import { EntitlementsModule } from '@app/entitlements';
import { ErasureModule } from '@app/erasure';
import { tablesOfWorkflow } from '@app/extraction';
import { IntegrationsModule } from '@app/integrations';
import { LiveModule } from '@app/live';
import { MessagesModule } from '@app/messages';
import { LanguageModels, ModelsModule } from '@app/models';
import { QueuesModule } from '@app/queues';
import { SecretsModule } from '@app/secrets';
import { WorkModule } from '@app/work';
import { toolCatalogue } from '@app/workflow-tools';
import { RunAdministration, WorkflowsModule } from '@app/workflows';
import { type DynamicModule, Module } from '@nestjs/common';

/** What the command for operators stands on: no routes, and no queue that it would work on. */
@Module({})
export class AdministrationModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: AdministrationModule,
      imports: [
        DatabaseModule.forRoot(config, 'atrium-admin'),
        WorkModule.forRoot(config, 'admin'),
        QueuesModule.forRoot(config),
        LiveModule.forRoot(config),
        IntegrationsModule.forRoot(config),
        SecretsModule.forRoot(config),
        AuditModule,
        MessagesModule,
        ModelsModule.forRoot(config),
        ErasureModule,
        DocumentsModule,
        EntitlementsModule.forRoot(config),
        BillingModule.forRoot(config),
        AuthModule.forRoot(config),
        WorkflowsModule.forRoot(config, toolCatalogue, [tablesOfWorkflow, chartsOfWorkflow]),
        ArtifactRemovalModule,
        ArtifactConversationsModule,
        TurnsModule,
        DedicatedAgentModule.forRoot(config),
      ],
      providers: [
        {
          provide: AccountFactory,
          inject: [LanguageModels],
          useFactory: (models: LanguageModels) => new AccountFactory(() => models.default.descriptor.id),
        },
        AccountAdministration,
        OrganizationAdministration,
        PromoCodeAdministration,
        DocumentAdministration,
        RunAdministration,
        ScimTokens,
        Seats,
        SsoCredentials,
        SsoSetupTokens,
      ],
    };
  }
}
