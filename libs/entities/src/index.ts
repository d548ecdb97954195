export { createDataSource, dataSourceOptions } from './data-source.js';
export { measureWaiting, readWaiting, type WaitingRows } from './backlog.js';
export { pingDatabase } from './ping-database.js';
export { DatabaseModule } from './database.module.js';
export { FUNCTIONS, FUNCTIONS_VERSION } from './functions/index.js';
export { assertMigrated, runMigrations, schemaDrift, schemaVersions } from './migrate.js';
export { OutboxMessage } from './outbox/outbox-message.entity.js';
export { AccessRequest } from './documents/access-request.entity.js';
export { DocumentShareMirror } from './sources/document-share-mirror.entity.js';
export { DocumentShare } from './documents/document-share.entity.js';
export { Document, DOCUMENT_STATES } from './documents/document.entity.js';
export { UploadBatch, UploadBatchItem } from './documents/upload-batch.entity.js';
export { WorkflowAuthoringEvent } from './workflows/workflow-authoring-event.entity.js';
export { WorkflowAuthoringTurn } from './workflows/workflow-authoring-turn.entity.js';
export { WorkflowCollaborator } from './workflows/workflow-collaborator.entity.js';
export { WorkflowOutput } from './workflows/workflow-output.entity.js';
export { WorkflowRequest } from './workflows/workflow-request.entity.js';
export { WorkflowRevision } from './workflows/workflow-revision.entity.js';
export { WorkflowRunItem } from './workflows/workflow-run-item.entity.js';
export { WorkflowRunNode } from './workflows/workflow-run-node.entity.js';
export { WorkflowRun } from './workflows/workflow-run.entity.js';
export { WorkflowSecret } from './workflows/workflow-secret.entity.js';
export { WorkflowScheduleSlot } from './workflows/workflow-schedule-slot.entity.js';
export { WorkflowSchedule } from './workflows/workflow-schedule.entity.js';
export { WorkflowSignal } from './workflows/workflow-signal.entity.js';
export { WorkflowStoredOutput } from './workflows/workflow-stored-output.entity.js';
export { WorkflowRequestFetch } from './workflows/workflow-request-fetch.entity.js';
export { WorkflowRequestFile } from './workflows/workflow-request-file.entity.js';
export { WorkflowTag, WorkflowTagLink } from './workflows/workflow-tag.entity.js';
export { ShareInvitation } from './sharing/share-invitation.entity.js';
export { WorkflowTransfer } from './workflows/workflow-transfer.entity.js';
export { WorkflowResponse } from './workflows/workflow-response.entity.js';
export { WorkflowWebhookReceiver } from './workflows/workflow-webhook-receiver.entity.js';
export { WorkflowWebhookUrl } from './workflows/workflow-webhook-url.entity.js';
export { WorkflowWebhookKey } from './workflows/workflow-webhook-key.entity.js';
export { WorkflowWebhook } from './workflows/workflow-webhook.entity.js';
export { Workflow } from './workflows/workflow.entity.js';
export { TabularFile, TABULAR_STATES, TABULAR_STORES } from './tabular/tabular-file.entity.js';
export { LooseFile } from './documents/loose-file.entity.js';
export { OrganizationInvitation } from './accounts/organization-invitation.entity.js';
export { OrganizationSecret } from './workflows/organization-secret.entity.js';
export { Organization } from './accounts/organization.entity.js';
export { Role, UserRole } from './accounts/role.entity.js';
export { Session } from './accounts/session.entity.js';
export { AccessToken, IdempotencyKey, RefreshToken, SocketTicket } from './accounts/token.entity.js';
export { User } from './accounts/user.entity.js';
export { ChatConversation, ChatSession, ChatTurn, ChatTurnEvent } from './retrieval/chat.entity.js';
export { ChatSessionSummary, ChatTurnStep, ChatTurnWork } from './retrieval/chat-work.entity.js';
export { ChunkSignBits, ChunkVector } from './retrieval/chunk-vector.entity.js';
export { Chunk, ChunkContent } from './retrieval/chunk.entity.js';
export { DocumentSummary } from './retrieval/document-summary.entity.js';
export { PermanentLink } from './media/permanent-link.entity.js';
export { DocumentIndex } from './retrieval/document-index.entity.js';
export { Passkey } from './accounts/passkey.entity.js';
export { WebauthnCeremony } from './accounts/webauthn-ceremony.entity.js';
export { OrganizationSso } from './accounts/organization-sso.entity.js';
export { SsoDomainChallenge, SsoSetupToken } from './accounts/sso-setup.entity.js';
export { SsoFlow, SsoVerifiedIdentity } from './accounts/sso-flow.entity.js';
export { SsoIdentity } from './accounts/sso-identity.entity.js';
export { AuditEvent, AuditInboxEvent } from './audit/audit-event.entity.js';
export { Erasure } from './erasure/erasure.entity.js';
export { OutgoingMessage } from './messages/outgoing-message.entity.js';
export { OneTimeCode, PromoCode, SlowCounter } from './accounts/code.entity.js';
export { UserMetadata } from './accounts/user-metadata.entity.js';
export { WrittenFile } from './documents/written-file.entity.js';
export { Export } from './erasure/export.entity.js';
export { ScimGroup, ScimGroupMember } from './scim/scim-group.entity.js';
export { ScimToken } from './scim/scim-token.entity.js';
export { OAuthClient, OAuthGrant, OAuthRequest } from './accounts/oauth-server.entity.js';
export { ApiToken } from './accounts/api-token.entity.js';
export { ExternalItem } from './sources/external-item.entity.js';
export { ExternalSource } from './sources/external-source.entity.js';
export { DocumentThumbnail } from './documents/document-thumbnail.entity.js';
export { ResumableUpload } from './documents/resumable-upload.entity.js';
export { StorageReservation } from './documents/storage-reservation.entity.js';
export { ArtifactChat } from './artifacts/artifact-chat.entity.js';
export { Artifact, ArtifactResult, ArtifactVersion } from './artifacts/artifact.entity.js';
export { Board, BoardCollaborator, BoardTile } from './artifacts/board.entity.js';
export {
  AGENT_RUN_STATUSES,
  AGENT_STATUSES,
  DedicatedAgent,
  DedicatedAgentEvent,
  DedicatedAgentSessionUsage,
  DedicatedAgentNotice,
  DedicatedAgentRun,
} from './dedicated-agent/dedicated-agent.entity.js';
export { Subscription } from './billing/subscription.entity.js';
export * from './billing/payment-event.entity.js';
export * from './billing/payment-object.entity.js';
export { UsageNotice } from './billing/usage-notice.entity.js';
export { DedicatedAgentReservation, DedicatedAgentSpending } from './dedicated-agent/agent-budget.entity.js';
export { DedicatedAgentExecution, DedicatedAgentJob } from './dedicated-agent/dedicated-agent-job.entity.js';
export { RegisteredDataSource } from './artifacts/registered-data-source.entity.js';
export { Chart } from './charts/chart.entity.js';
export { ChatTraceEntry } from './agents/chat-trace-entry.entity.js';
export { ChatThought } from './tabular/chat-thought.entity.js';
export { TabularMessage } from './tabular/tabular-message.entity.js';
export { ModelUsage } from './models/model-usage.entity.js';
export { RegisteredModel } from './models/registered-model.entity.js';
export { McpServer } from './mcp/mcp-server.entity.js';
export { McpTool } from './mcp/mcp-tool.entity.js';
export { McpOAuthClient } from './mcp/mcp-oauth-client.entity.js';
export { McpOAuthFlow } from './mcp/mcp-oauth-flow.entity.js';
export { McpOAuthGrant } from './mcp/mcp-oauth-grant.entity.js';
export { AgentMemory, AgentMemorySetting, AgentMemoryTurn } from './agents/agent-memory.entity.js';
export { AgentResult } from './agents/agent-result.entity.js';
export { AgentApproval } from './agents/agent-approval.entity.js';
export { wasRolledBack } from './was-rolled-back.js';
export { retriedTransaction } from './retried-transaction.js';
export { foldTotals, type MonthlyKind, totalsOf, type TotalKind } from './totals/kept-totals.js';
export {
  type ChangedTotal,
  claimChangedTotals,
  dropOldMonths,
  forgetOwnMonths,
  MONTHS_KEPT,
  monthOf,
  type OwnMonth,
  readMonths,
  readOwnMonths,
} from './totals/monthly-totals.js';
export {
  ExtractedTable,
  ExtractedTableChange,
  ExtractedTableDatabase,
  ExtractedTableDatabaseMember,
  ExtractedTableGrant,
} from './extraction/extracted-table.entity.js';
export { ExtractedCell, ExtractedRow } from './extraction/extracted-row.entity.js';
export { Extraction, ExtractionEvent, ExtractionItem } from './extraction/extraction.entity.js';
