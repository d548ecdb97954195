import { Baseline1766000001600 } from './1766000001600-baseline.js';
import { EndedTurns1766000002100 } from './1766000002100-ended-turns.js';
import { Conversations1766000002200 } from './1766000002200-conversations.js';
import { KeptResults1766000002300 } from './1766000002300-kept-results.js';
import { Memories1766000002400 } from './1766000002400-memories.js';
import { UnencodedMemories1766000002410 } from './1766000002410-unencoded-memories.js';
import { ChatTraces1766000002500 } from './1766000002500-chat-traces.js';
import { UsageOfTurns1766000002510 } from './1766000002510-usage-of-turns.js';
import { CacheWriteTokens1766000002800 } from './1766000002800-cache-write-tokens.js';
import { ExtractedTables1766000003000 } from './1766000003000-extracted-tables.js';
import { ChangesOfTurns1766000003200 } from './1766000003200-changes-of-turns.js';
import { Artifacts1766000003300 } from './1766000003300-artifacts.js';
import { LinksOfArtifacts1766000003500 } from './1766000003500-links-of-artifacts.js';
import { ChartsOnBoards1766000003700 } from './1766000003700-charts-on-boards.js';
import { ArtifactChats1766000003800 } from './1766000003800-artifact-chats.js';
import { RequestsOfDocuments1766000003900 } from './1766000003900-requests-of-documents.js';
import { TurnsAtPages1766000004000 } from './1766000004000-turns-at-pages.js';
import { DedicatedAgents1766000004005 } from './1766000004005-dedicated-agents.js';
import { QuestionsOfAgentRuns1766000004010 } from './1766000004010-questions-of-agent-runs.js';
import { DedicatedAgentJobs1766000004020 } from './1766000004020-dedicated-agent-jobs.js';
import { AgentBudget1766000004030 } from './1766000004030-agent-budget.js';
import { UsageOfAgentSessions1766000004040 } from './1766000004040-usage-of-agent-sessions.js';
import { WordsOfAgents1766000004050 } from './1766000004050-words-of-agents.js';
import { CompactedAgentRuns1766000004060 } from './1766000004060-compacted-agent-runs.js';
import { UncompactedAgentRuns1766000004061 } from './1766000004061-uncompacted-agent-runs.js';
import { FoundAgentRuns1766000004062 } from './1766000004062-found-agent-runs.js';
import { Subscriptions1766000005000 } from './1766000005000-subscriptions.js';
import { SubscriptionReads1766000005100 } from './1766000005100-subscription-reads.js';
import { WaitingSubscriptions1766000005101 } from './1766000005101-waiting-subscriptions.js';
import { TestProcessor1766000005110 } from './1766000005110-test-processor.js';
import { PaymentEvents1766000005200 } from './1766000005200-payment-events.js';
import { ReconciledSubscriptions1766000005201 } from './1766000005201-reconciled-subscriptions.js';
import { UsageOfPools1766000005400 } from './1766000005400-usage-of-pools.js';
import { CountedRuns1766000005401 } from './1766000005401-counted-runs.js';
import { CountedTokens1766000005402 } from './1766000005402-counted-tokens.js';
import { ForgottenUsage1766000005403 } from './1766000005403-forgotten-usage.js';
import { LookedTotals1766000005404 } from './1766000005404-looked-totals.js';
import { Organizations1766000005500 } from './1766000005500-organizations.js';
import { AuditOfOrganizations1766000005510 } from './1766000005510-audit-of-organizations.js';
import { RegisteredModels1766000005600 } from './1766000005600-registered-models.js';
import { OrderOfMembers1766000005700 } from './1766000005700-order-of-members.js';
import { CustomersOfSubscriptions1766000005800 } from './1766000005800-customers-of-subscriptions.js';
import { RequestsByState1766000005900 } from './1766000005900-requests-by-state.js';

/** In the order in which they are applied. */
export const migrations = [
  Baseline1766000001600,
  EndedTurns1766000002100,
  Conversations1766000002200,
  KeptResults1766000002300,
  Memories1766000002400,
  UnencodedMemories1766000002410,
  ChatTraces1766000002500,
  UsageOfTurns1766000002510,
  CacheWriteTokens1766000002800,
  ExtractedTables1766000003000,
  ChangesOfTurns1766000003200,
  Artifacts1766000003300,
  LinksOfArtifacts1766000003500,
  ChartsOnBoards1766000003700,
  ArtifactChats1766000003800,
  RequestsOfDocuments1766000003900,
  TurnsAtPages1766000004000,
  DedicatedAgents1766000004005,
  QuestionsOfAgentRuns1766000004010,
  DedicatedAgentJobs1766000004020,
  AgentBudget1766000004030,
  UsageOfAgentSessions1766000004040,
  WordsOfAgents1766000004050,
  CompactedAgentRuns1766000004060,
  UncompactedAgentRuns1766000004061,
  FoundAgentRuns1766000004062,
  Subscriptions1766000005000,
  SubscriptionReads1766000005100,
  WaitingSubscriptions1766000005101,
  TestProcessor1766000005110,
  PaymentEvents1766000005200,
  ReconciledSubscriptions1766000005201,
  UsageOfPools1766000005400,
  CountedRuns1766000005401,
  CountedTokens1766000005402,
  ForgottenUsage1766000005403,
  LookedTotals1766000005404,
  Organizations1766000005500,
  AuditOfOrganizations1766000005510,
  RegisteredModels1766000005600,
  OrderOfMembers1766000005700,
  CustomersOfSubscriptions1766000005800,
  RequestsByState1766000005900,
];
