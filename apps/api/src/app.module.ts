import { ArtifactConversationsModule, TurnsModule } from '@app/agents';
import { ArtifactsModule, chartsOfWorkflow } from '@app/artifacts';
import { AuditModule } from '@app/audit';
import { AuthModule } from '@app/auth';
import { BillingModule } from '@app/billing';
import type { AppConfig } from '@app/config';
import { DocumentsModule } from '@app/documents';
import { LooseFiles } from '@app/entitlements';
import { tablesOfWorkflow } from '@app/extraction';
import { DatabaseModule } from '@app/entities';
import { EntitlementsModule } from '@app/entitlements';
import { ErasureModule } from '@app/erasure';
import { IntegrationsModule } from '@app/integrations';
import { DataSourcesModule } from '@app/data-sources';
import { LiveModule } from '@app/live';
import { McpModule } from '@app/mcp';
import { MessagesModule } from '@app/messages';
import { ModelsModule } from '@app/models';
import { ObservabilityModule } from '@app/observability';
import { QueuesModule } from '@app/queues';
import { WorkModule } from '@app/work';
import { SecretsModule } from '@app/secrets';
import { TabularModule } from '@app/tabular';
import { toolCatalogue } from '@app/workflow-tools';
import { WorkflowsModule } from '@app/workflows';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { RegistrationModule } from './registration/registration.module.js';
import { AgentApprovalsModule } from './agent-approvals/agent-approvals.module.js';
import { AgentModule } from './agent/agent.module.js';
import { ArtifactChatModule } from './artifact-chat/artifact-chat.module.js';
import { ApiTokensModule } from './api-tokens/api-tokens.module.js';
import { ArtifactRoutesModule } from './artifacts/artifact-routes.module.js';
import { AuditRoutesModule } from './audit/audit-routes.module.js';
import { BoardRoutesModule } from './boards/boards.module.js';
import { ChatsModule } from './chats/chats.module.js';
import { UsageModule } from './usage/usage.module.js';
import { CostTrackerModule } from './cost-tracker/cost-tracker.module.js';
import { DashboardChatModule } from './dashboard-chat/dashboard-chat.module.js';
import { DataExtractorModule } from './data-extractor/data-extractor.module.js';
import { DedicatedAgentModule } from '@app/dedicated-agent';
import { DedicatedAgentRoutesModule } from './dedicated-agent/dedicated-agent-routes.module.js';
import { ExtractorKindModule } from './extractor-kind/extractor-kind.module.js';
import { HandedOnModule } from './data-extractor/handed-on/handed-on.module.js';
import { ErasureRoutesModule } from './erasure/erasure-routes.module.js';
import { ExportsModule } from './exports/exports.module.js';
import { ExternalSourcesModule } from './external-sources/external-sources.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { InvitationsModule } from './invitations/invitations.module.js';
import { LinksModule } from './links/links.module.js';
import { DataSourceRoutesModule } from './data-sources/data-source-routes.module.js';
import { McpServersModule } from './mcp-servers/mcp-servers.module.js';
import { McpOAuthRoutesModule } from './mcp-servers/oauth/oauth.module.js';
import { McpEndpointModule } from './mcp/mcp-endpoint.module.js';
import { MediaModule } from './media/media.module.js';
import { MetadataModule } from './metadata/metadata.module.js';
import { ModelRoutesModule } from './models/model-routes.module.js';
import { MemoriesModule } from './memories/memories.module.js';
import { OrganizationsModule } from './organizations/organizations.module.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { PageRoutesModule } from './pages/page-routes.module.js';
import { PasskeysModule } from './passkeys/passkeys.module.js';
import { PasswordsModule } from './passwords/passwords.module.js';
import { PaymentEventRoutesModule } from './payment-events/payment-events.module.js';
import { PromptToWorkflowModule } from './prompt-2-workflow/prompt-2-workflow.module.js';
import { ProfileModule } from './profile/profile.module.js';
import { ScimModule } from './scim/scim.module.js';
import { SecureGptModule } from './secure-gpt/secure-gpt.module.js';
import { SemanticSearchModule } from './semantic-search/semantic-search.module.js';
import { SocketsModule } from './live/sockets.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { SsoModule } from './sso/sso.module.js';
import { TabularChatsModule } from './tables/tabular-chats.module.js';
import { NoTableChatModule } from './table-chat/no-table-chat.module.js';
import { TableChatModule } from './table-chat/table-chat.module.js';
import { StorageModule } from './storage/storage.module.js';
import { SubscriptionRoutesModule } from './subscriptions/subscription-routes.module.js';
import { TabularFilesModule } from './tables/tabular-files.module.js';
import { UploadsModule } from './uploads/uploads.module.js';
import { WebhookRoutesModule } from './webhooks/webhooks.module.js';
import { WorkflowRoutesModule } from './workflows/workflows.module.js';

/** Somebody waits for the answer: no statement of the api takes longer, whatever the workers are granted. */
const LONGEST_STATEMENT_MS = 8000;

/** The api: what every route stands on, then one module per domain. */
@Module({})
export class AppModule {
  static forRoot(config: AppConfig): DynamicModule {
    const { database } = config;
    const statementTimeoutMs = Math.min(database.statementTimeoutMs, LONGEST_STATEMENT_MS);
    return {
      module: AppModule,
      imports: [
        ObservabilityModule,
        DatabaseModule.forRoot({ ...config, database: { ...database, statementTimeoutMs } }, 'atrium-api'),
        WorkModule.forRoot(config, 'api'),
        QueuesModule.forRoot(config),
        LiveModule.forRoot(config),
        IntegrationsModule.forRoot(config),
        ModelsModule.forRoot(config),
        SecretsModule.forRoot(config),
        AuditModule,
        MessagesModule,
        ErasureModule,
        EntitlementsModule.forRoot(config),
        BillingModule.forRoot(config),
        DocumentsModule,
        TabularModule.forRoot(LooseFiles),
        AuthModule.forRoot(config),
        HttpModule.forRoot(config),
        UploadsModule.forRoot(config),
        TurnsModule,
        ChatsModule.forRoot(config),
        WorkflowsModule.forRoot(config, toolCatalogue, [tablesOfWorkflow, chartsOfWorkflow]),
        ArtifactsModule,
        DataSourcesModule.forRoot(config),
        ArtifactConversationsModule,
        // One line per domain:
        RegistrationModule.forRoot(config),
        AgentApprovalsModule,
        AgentModule,
        ApiTokensModule,
        ArtifactChatModule,
        ArtifactRoutesModule,
        AuditRoutesModule,
        BoardRoutesModule,
        CostTrackerModule,
        UsageModule,
        DashboardChatModule,
        DataSourceRoutesModule,
        DedicatedAgentModule.forRoot(config),
        DedicatedAgentRoutesModule,
        ExtractorKindModule.forRoot(config),
        ...extractorModules(config),
        ErasureRoutesModule,
        ExportsModule,
        ExternalSourcesModule.forRoot(config),
        HealthModule.forRoot(config),
        InvitationsModule,
        LinksModule,
        McpModule.forRoot(config),
        McpOAuthRoutesModule,
        McpServersModule,
        McpEndpointModule.forRoot(config),
        MediaModule,
        MemoriesModule,
        MetadataModule,
        ModelRoutesModule.forRoot(config),
        OpenApiModule,
        OrganizationsModule,
        PageRoutesModule.forRoot(config),
        PasskeysModule.forRoot(config),
        PasswordsModule,
        PaymentEventRoutesModule,
        ProfileModule,
        PromptToWorkflowModule,
        ScimModule,
        SecureGptModule,
        SemanticSearchModule.forRoot(config),
        SessionsModule.forRoot(config),
        SocketsModule.forRoot(config),
        SsoModule.forRoot(config),
        StorageModule,
        SubscriptionRoutesModule.forRoot(config),
        TabularChatsModule.forRoot(config),
        TabularFilesModule,
        WebhookRoutesModule.forRoot(),
        WorkflowRoutesModule,
      ],
    };
  }
}

/** Who keeps extracted tables: this deployment, or a separate service. Where it is nobody, the routes say so. */
function extractorModules(config: AppConfig): Type[] {
  if (config.extractor.kind === 'http') return [HandedOnModule, NoTableChatModule];
  return [DataExtractorModule, TableChatModule];
}
