import { VectorMagnitudes1765000000750 } from './1765000000750-vector-magnitudes.js';
import { VectorMagnitudesFilled1765000000760 } from './1765000000760-vector-magnitudes-filled.js';
import { OAuthServer1765000000900 } from './1765000000900-oauth-server.js';
import { RunCounts1765000001000 } from './1765000001000-run-counts.js';
import { PassageContexts1766000000300 } from './1766000000300-passage-contexts.js';
import { FairIndexing1766000000600 } from './1766000000600-fair-indexing.js';
import { TabularWarnings1766000000200 } from './1766000000200-tabular-warnings.js';
import { FairImports1766000000610 } from './1766000000610-fair-imports.js';
import { AgentApprovals1765000000800 } from './1765000000800-agent-approvals.js';
import { Outbox1763700000100 } from './1763700000100-outbox.js';
import { Accounts1763700000200 } from './1763700000200-accounts.js';
import { Documents1763700000300 } from './1763700000300-documents.js';
import { Retrieval1763700000400 } from './1763700000400-retrieval.js';
import { Workflows1763700000500 } from './1763700000500-workflows.js';
import { WorkflowFunctions1763700000510 } from './1763700000510-workflow-functions.js';
import { Identity1763800000100 } from './1763800000100-identity.js';
import { Registration1763800000300 } from './1763800000300-registration.js';
import { Profile1763800000400 } from './1763800000400-profile.js';
import { Passkeys1763800000500 } from './1763800000500-passkeys.js';
import { Sso1763800000600 } from './1763800000600-sso.js';
import { Scim1763800000700 } from './1763800000700-scim.js';
import { ApiTokens1763800000800 } from './1763800000800-api-tokens.js';
import { Exports1763800000900 } from './1763800000900-exports.js';
import { Insights1763900000100 } from './1763900000100-insights.js';
import { Tabular1763900000200 } from './1763900000200-tabular.js';
import { TabularChats1763900000300 } from './1763900000300-tabular-chats.js';
import { Sharing1763900000400 } from './1763900000400-sharing.js';
import { ExternalSources1763900000500 } from './1763900000500-external-sources.js';
import { UploadsPlus1763900000600 } from './1763900000600-uploads-plus.js';
import { ShareMirrors1763900000800 } from './1763900000800-share-mirrors.js';
import { RunItems1764000000400 } from './1764000000400-run-items.js';
import { RunFiles1764000000500 } from './1764000000500-run-files.js';
import { WorkflowAuthoring1764000000900 } from './1764000000900-workflow-authoring.js';
import { RunsAndSignals1764000000100 } from './1764000000100-runs-and-signals.js';
import { Webhooks1764000000800 } from './1764000000800-webhooks.js';
import { Postings1763900000950 } from './1763900000950-postings.js';
import { VersionsAndTags1764000000200 } from './1764000000200-versions-and-tags.js';
import { WorkflowSecrets1764000000600 } from './1764000000600-workflow-secrets.js';
import { Schedules1764000000700 } from './1764000000700-schedules.js';
import { WorkflowSharing1764000000300 } from './1764000000300-workflow-sharing.js';
import { Turns1765000000100 } from './1765000000100-turns.js';
import { McpServers1765000000200 } from './1765000000200-mcp-servers.js';
import { McpOAuth1765000000300 } from './1765000000300-mcp-oauth.js';
import { ModelUsage1765000000400 } from './1765000000400-model-usage.js';
import { ChatSearch1765000000600 } from './1765000000600-chat-search.js';
import { SealedTurns1765000000700 } from './1765000000700-sealed-turns.js';
import { Memories1765000000500 } from './1765000000500-memories.js';
import { IndexLanguages1766000000500 } from './1766000000500-index-languages.js';
import { OcrLanguages1766000000700 } from './1766000000700-ocr-languages.js';
import { ActingPeople1766000000900 } from './1766000000900-acting-people.js';
import { SuspendedWork1766000000960 } from './1766000000960-suspended-work.js';
import { ShareInvitations1766000000950 } from './1766000000950-share-invitations.js';
import { SsoSetUp1766000001010 } from './1766000001010-sso-set-up.js';
import { HeardParties1766000001050 } from './1766000001050-heard-parties.js';
import { WebhookUrls1766000001100 } from './1766000001100-webhook-urls.js';
import { WebhooksOfTheInactive1766000001160 } from './1766000001160-webhooks-of-the-inactive.js';
import { HeardMemories1766000001180 } from './1766000001180-heard-memories.js';
import { ForeignKeyIndexes1766000001200 } from './1766000001200-foreign-key-indexes.js';
import { TaskLeases1766000001210 } from './1766000001210-task-leases.js';
import { WorkColumns1766000001300 } from './1766000001300-work-columns.js';
import { WorkColumnsOfImports1766000001310 } from './1766000001310-work-columns-of-imports.js';
import { KeptTotals1766000001400 } from './1766000001400-kept-totals.js';
import { OwnersOfShares1766000001410 } from './1766000001410-owners-of-shares.js';
import { IndexesOfHistory1766000001420 } from './1766000001420-indexes-of-history.js';
import { EndsTogether1766000001440 } from './1766000001440-ends-together.js';
import { BeginsTogether1766000001450 } from './1766000001450-begins-together.js';
import { WorkColumnsOfMessages1766000001500 } from './1766000001500-work-columns-of-messages.js';
import { IndexOfMessages1766000001510 } from './1766000001510-index-of-messages.js';
import { EndedTurns1766000002100 } from './1766000002100-ended-turns.js';

/** In the order in which they are applied. */
export const migrations = [
  Outbox1763700000100,
  Accounts1763700000200,
  Documents1763700000300,
  Retrieval1763700000400,
  Workflows1763700000500,
  WorkflowFunctions1763700000510,
  Identity1763800000100,
  Registration1763800000300,
  Profile1763800000400,
  Passkeys1763800000500,
  Sso1763800000600,
  Scim1763800000700,
  ApiTokens1763800000800,
  Exports1763800000900,
  Insights1763900000100,
  Tabular1763900000200,
  TabularChats1763900000300,
  Sharing1763900000400,
  ExternalSources1763900000500,
  UploadsPlus1763900000600,
  ShareMirrors1763900000800,
  Postings1763900000950,
  RunsAndSignals1764000000100,
  VersionsAndTags1764000000200,
  WorkflowSharing1764000000300,
  RunItems1764000000400,
  RunFiles1764000000500,
  Webhooks1764000000800,
  WorkflowSecrets1764000000600,
  Schedules1764000000700,
  WorkflowAuthoring1764000000900,
  Turns1765000000100,
  McpServers1765000000200,
  McpOAuth1765000000300,
  ModelUsage1765000000400,
  ChatSearch1765000000600,
  SealedTurns1765000000700,
  Memories1765000000500,
  VectorMagnitudes1765000000750,
  VectorMagnitudesFilled1765000000760,
  AgentApprovals1765000000800,
  OAuthServer1765000000900,
  RunCounts1765000001000,
  TabularWarnings1766000000200,
  PassageContexts1766000000300,
  IndexLanguages1766000000500,
  FairIndexing1766000000600,
  FairImports1766000000610,
  OcrLanguages1766000000700,
  ActingPeople1766000000900,
  ShareInvitations1766000000950,
  SuspendedWork1766000000960,
  SsoSetUp1766000001010,
  HeardParties1766000001050,
  WebhookUrls1766000001100,
  WebhooksOfTheInactive1766000001160,
  HeardMemories1766000001180,
  ForeignKeyIndexes1766000001200,
  TaskLeases1766000001210,
  WorkColumns1766000001300,
  WorkColumnsOfImports1766000001310,
  KeptTotals1766000001400,
  OwnersOfShares1766000001410,
  IndexesOfHistory1766000001420,
  EndsTogether1766000001440,
  BeginsTogether1766000001450,
  WorkColumnsOfMessages1766000001500,
  IndexOfMessages1766000001510,
  EndedTurns1766000002100,
];
