import { Subscription } from './billing/subscription.entity.js';
import {
  BillingTestCheckout,
  BillingTestCustomer,
  BillingTestInvoice,
  BillingTestPortal,
  BillingTestSubscription,
} from './billing/test-processor.entity.js';
import { PaymentEvent } from './billing/payment-event.entity.js';
import { PaymentObject } from './billing/payment-object.entity.js';
import { UsageNotice } from './billing/usage-notice.entity.js';
import { DedicatedAgentReservation, DedicatedAgentSpending } from './dedicated-agent/agent-budget.entity.js';
import { DedicatedAgentExecution, DedicatedAgentJob } from './dedicated-agent/dedicated-agent-job.entity.js';
import {
  DedicatedAgent,
  DedicatedAgentEvent,
  DedicatedAgentNotice,
  DedicatedAgentRun,
  DedicatedAgentSessionUsage,
} from './dedicated-agent/dedicated-agent.entity.js';
import { AgentApproval } from './agents/agent-approval.entity.js';
import { ApiToken } from './accounts/api-token.entity.js';
import { Export } from './erasure/export.entity.js';
import { UserMetadata } from './accounts/user-metadata.entity.js';
import { WrittenFile } from './documents/written-file.entity.js';
import { OneTimeCode, PromoCode, SlowCounter } from './accounts/code.entity.js';
import { OrganizationInvitation } from './accounts/organization-invitation.entity.js';
import { OrganizationSecret } from './workflows/organization-secret.entity.js';
import { OrganizationSso } from './accounts/organization-sso.entity.js';
import { OAuthClient, OAuthGrant, OAuthRequest } from './accounts/oauth-server.entity.js';
import { Organization } from './accounts/organization.entity.js';
import { Passkey } from './accounts/passkey.entity.js';
import { Role, UserRole } from './accounts/role.entity.js';
import { Session } from './accounts/session.entity.js';
import { SsoDomainChallenge, SsoSetupToken } from './accounts/sso-setup.entity.js';
import { SsoFlow, SsoVerifiedIdentity } from './accounts/sso-flow.entity.js';
import { SsoIdentity } from './accounts/sso-identity.entity.js';
import { AccessToken, IdempotencyKey, RefreshToken, SocketTicket } from './accounts/token.entity.js';
import { User } from './accounts/user.entity.js';
import { WebauthnCeremony } from './accounts/webauthn-ceremony.entity.js';
import { AgentMemory, AgentMemorySetting, AgentMemoryTurn } from './agents/agent-memory.entity.js';
import { AgentResult } from './agents/agent-result.entity.js';
import { AuditEvent, AuditInboxEvent } from './audit/audit-event.entity.js';
import { ArtifactChat } from './artifacts/artifact-chat.entity.js';
import { Artifact, ArtifactResult, ArtifactVersion } from './artifacts/artifact.entity.js';
import { Board, BoardCollaborator, BoardTile } from './artifacts/board.entity.js';
import { RegisteredDataSource } from './artifacts/registered-data-source.entity.js';
import { Chart } from './charts/chart.entity.js';
import { AccessRequest } from './documents/access-request.entity.js';
import { DocumentShareMirror } from './sources/document-share-mirror.entity.js';
import { DocumentShare } from './documents/document-share.entity.js';
import { Document } from './documents/document.entity.js';
import { LooseFile } from './documents/loose-file.entity.js';
import { UploadBatch, UploadBatchItem } from './documents/upload-batch.entity.js';
import { Erasure } from './erasure/erasure.entity.js';
import { McpOAuthClient } from './mcp/mcp-oauth-client.entity.js';
import { McpOAuthFlow } from './mcp/mcp-oauth-flow.entity.js';
import { McpOAuthGrant } from './mcp/mcp-oauth-grant.entity.js';
import { McpServer } from './mcp/mcp-server.entity.js';
import { McpTool } from './mcp/mcp-tool.entity.js';
import { OutgoingMessage } from './messages/outgoing-message.entity.js';
import { OutboxMessage } from './outbox/outbox-message.entity.js';
import { KeptTotal, KeptTotalChange } from './totals/kept-total.entity.js';
import { TaskLease } from './outbox/task-lease.entity.js';
import { ChatConversation, ChatSession, ChatTurn, ChatTurnEvent } from './retrieval/chat.entity.js';
import { ChatSessionSummary, ChatTurnStep, ChatTurnWork } from './retrieval/chat-work.entity.js';
import { ChunkSignBits, ChunkVector } from './retrieval/chunk-vector.entity.js';
import { Chunk, ChunkContent } from './retrieval/chunk.entity.js';
import { DocumentSummary } from './retrieval/document-summary.entity.js';
import { ModelUsage } from './models/model-usage.entity.js';
import { RegisteredModel } from './models/registered-model.entity.js';
import { PermanentLink } from './media/permanent-link.entity.js';
import { DocumentIndex } from './retrieval/document-index.entity.js';
import { ScimGroup, ScimGroupMember } from './scim/scim-group.entity.js';
import { ScimToken } from './scim/scim-token.entity.js';
import { ExternalItem } from './sources/external-item.entity.js';
import { ExternalSource } from './sources/external-source.entity.js';
import { ChatTraceEntry } from './agents/chat-trace-entry.entity.js';
import {
  ExtractedTable,
  ExtractedTableChange,
  ExtractedTableDatabase,
  ExtractedTableDatabaseMember,
  ExtractedTableGrant,
} from './extraction/extracted-table.entity.js';
import { ExtractedCell, ExtractedRow } from './extraction/extracted-row.entity.js';
import { Extraction, ExtractionEvent, ExtractionItem } from './extraction/extraction.entity.js';
import { ChatThought } from './tabular/chat-thought.entity.js';
import { TabularFile } from './tabular/tabular-file.entity.js';
import { TabularMessage } from './tabular/tabular-message.entity.js';
import { WorkflowAuthoringEvent } from './workflows/workflow-authoring-event.entity.js';
import { WorkflowAuthoringTurn } from './workflows/workflow-authoring-turn.entity.js';
import { WorkflowCollaborator } from './workflows/workflow-collaborator.entity.js';
import { WorkflowOutput } from './workflows/workflow-output.entity.js';
import { WorkflowRequest } from './workflows/workflow-request.entity.js';
import { WorkflowRequestFetch } from './workflows/workflow-request-fetch.entity.js';
import { WorkflowRequestFile } from './workflows/workflow-request-file.entity.js';
import { WorkflowRevision } from './workflows/workflow-revision.entity.js';
import { WorkflowRunItem } from './workflows/workflow-run-item.entity.js';
import { WorkflowRunNode } from './workflows/workflow-run-node.entity.js';
import { WorkflowRun } from './workflows/workflow-run.entity.js';
import { WorkflowSecret } from './workflows/workflow-secret.entity.js';
import { WorkflowScheduleSlot } from './workflows/workflow-schedule-slot.entity.js';
import { WorkflowSchedule } from './workflows/workflow-schedule.entity.js';
import { WorkflowSignal } from './workflows/workflow-signal.entity.js';
import { WorkflowStoredOutput } from './workflows/workflow-stored-output.entity.js';
import { WorkflowResponse } from './workflows/workflow-response.entity.js';
import { WorkflowWebhookReceiver } from './workflows/workflow-webhook-receiver.entity.js';
import { WorkflowWebhookUrl } from './workflows/workflow-webhook-url.entity.js';
import { WorkflowWebhookKey } from './workflows/workflow-webhook-key.entity.js';
import { WorkflowTag, WorkflowTagLink } from './workflows/workflow-tag.entity.js';
import { ShareInvitation } from './sharing/share-invitation.entity.js';
import { WorkflowTransfer } from './workflows/workflow-transfer.entity.js';
import { WorkflowWebhook } from './workflows/workflow-webhook.entity.js';
import { Workflow } from './workflows/workflow.entity.js';
import { DocumentThumbnail } from './documents/document-thumbnail.entity.js';
import { ResumableUpload } from './documents/resumable-upload.entity.js';
import { StorageReservation } from './documents/storage-reservation.entity.js';

/** Every entity of the one database. */
export const entities = [
  OutboxMessage,
  TaskLease,
  KeptTotal,
  KeptTotalChange,
  Organization,
  User,
  Role,
  UserRole,
  Session,
  AccessToken,
  RefreshToken,
  SocketTicket,
  IdempotencyKey,
  Passkey,
  WebauthnCeremony,
  SsoIdentity,
  ApiToken,
  UserMetadata,
  WrittenFile,
  PromoCode,
  OneTimeCode,
  SlowCounter,
  OrganizationSso,
  SsoDomainChallenge,
  SsoSetupToken,
  SsoFlow,
  SsoVerifiedIdentity,
  ScimToken,
  ScimGroup,
  ScimGroupMember,
  AuditInboxEvent,
  AuditEvent,
  OutgoingMessage,
  Erasure,
  Export,
  Document,
  DocumentShare,
  DocumentShareMirror,
  AccessRequest,
  DocumentThumbnail,
  ResumableUpload,
  StorageReservation,
  LooseFile,
  UploadBatch,
  UploadBatchItem,
  ExternalSource,
  ExternalItem,
  ChatConversation,
  ChatSession,
  ChatTurn,
  ChatTurnEvent,
  ChatSessionSummary,
  ChatTurnStep,
  ChatTurnWork,
  Chunk,
  ChunkContent,
  ChunkSignBits,
  ChunkVector,
  DocumentIndex,
  DocumentSummary,
  McpOAuthClient,
  McpOAuthFlow,
  McpOAuthGrant,
  McpServer,
  McpTool,
  ModelUsage,
  RegisteredModel,
  PermanentLink,
  TabularFile,
  ChatThought,
  ChatTraceEntry,
  TabularMessage,
  Artifact,
  ArtifactChat,
  ArtifactResult,
  ArtifactVersion,
  Board,
  BoardCollaborator,
  BoardTile,
  RegisteredDataSource,
  Chart,
  WorkflowAuthoringEvent,
  WorkflowAuthoringTurn,
  WorkflowCollaborator,
  WorkflowOutput,
  WorkflowRequest,
  WorkflowRequestFetch,
  WorkflowRequestFile,
  WorkflowRevision,
  WorkflowRunItem,
  WorkflowRunNode,
  WorkflowRun,
  WorkflowSecret,
  OrganizationInvitation,
  OrganizationSecret,
  WorkflowScheduleSlot,
  WorkflowSchedule,
  WorkflowSignal,
  WorkflowStoredOutput,
  WorkflowTag,
  WorkflowTagLink,
  ShareInvitation,
  WorkflowTransfer,
  WorkflowWebhook,
  WorkflowWebhookKey,
  WorkflowWebhookReceiver,
  WorkflowWebhookUrl,
  WorkflowResponse,
  Workflow,
  AgentResult,
  AgentMemory,
  AgentMemorySetting,
  AgentMemoryTurn,
  AgentApproval,
  OAuthClient,
  OAuthGrant,
  OAuthRequest,
  ExtractedTable,
  ExtractedTableChange,
  ExtractedTableDatabase,
  ExtractedTableDatabaseMember,
  ExtractedTableGrant,
  ExtractedCell,
  ExtractedRow,
  Extraction,
  ExtractionEvent,
  ExtractionItem,
  DedicatedAgent,
  DedicatedAgentEvent,
  DedicatedAgentSessionUsage,
  DedicatedAgentExecution,
  DedicatedAgentJob,
  DedicatedAgentNotice,
  DedicatedAgentReservation,
  DedicatedAgentRun,
  DedicatedAgentSpending,
  Subscription,
  BillingTestCheckout,
  BillingTestCustomer,
  BillingTestInvoice,
  BillingTestPortal,
  BillingTestSubscription,
  PaymentEvent,
  PaymentObject,
  UsageNotice,
];
