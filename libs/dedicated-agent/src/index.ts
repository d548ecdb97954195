export { AgentsByPlan } from './agents/agents-by-plan.js';
export { AgentLife, type Doer, type ListedAgent } from './agents/agent-life.js';
export { type AgentRecord, DedicatedAgents } from './agents/dedicated-agents.js';
export { OwnedDedicatedAgents } from './agents/owned-dedicated-agents.js';
export {
  AgentGateway,
  type ApprovalAnswer,
  type GatewayEvent,
  GatewayRefusedError,
  type GatewayRun,
  type GatewayRunRef,
  type GatewayRunStatus,
  type GatewayTask,
  GatewayUnreachableError,
  RUN_BEGUN,
} from './gateway/agent-gateway.js';
export { AgentBudget } from './budget/agent-budget.js';
export { BUDGET_DEFAULTS, BudgetBook, type SoftCapWarning } from './budget/budget-book.js';
export { type AgentBudgetView, BudgetCaps, type ScopeBudget } from './budget/budget-caps.js';
export { BudgetRetention } from './budget/budget-retention.js';
export {
  BUDGET_SCOPES,
  type BudgetDefaults,
  type BudgetScope,
  type Caps,
  MAX_COST,
  MAX_TOKENS,
  type StoredCaps,
} from './budget/caps.js';
export { OwnedAgentBudgets } from './budget/owned-budgets.js';
export { AgentActivity, type ActivityEntry } from './console/agent-activity.js';
export {
  AgentConsole,
  type ConsoleMessage,
  type ConsoleNotice,
  type ConsoleRun,
  type ConsoleTarget,
  type ConsoleTurn,
} from './console/agent-console.js';
export { keepConsoleAnswer } from './console/console-answers.js';
export { DedicatedAgentModule } from './dedicated-agent.module.js';
export { EmbeddedGateway } from './embedded/embedded-gateway.js';
export { GatewaySpending } from './hermes/gateway-spending.js';
export { HermesGateway } from './hermes/hermes-gateway.js';
export {
  type AgentRunEvent,
  type AgentRunRecord,
  type AgentRunStatus,
  END_EVENTS,
  EXPIRY_POLICIES,
  type ExpiryPolicy,
  type NewAgentRun,
  type PendingApproval,
  RUN_ENDED,
  type RunEndedListener,
} from './runs/agent-run.js';
export { AgentRunFeed } from './runs/agent-run-feed.js';
export { AgentRuns } from './runs/agent-runs.js';
export { type FollowedRun, followWork } from './runs/follow-work.js';
export { RunLogWriter } from './runs/run-log-writer.js';
export { RunLogCompaction } from './runs/run-log-compaction.js';
export { RunFollower } from './runs/run-follower.js';
export { AgentRunRetention } from './runs/run-retention.js';
export { KnownSecrets, ShownEvents } from './runs/shown-events.js';
export { RunSteers } from './runs/run-steers.js';
export { type FiringOutcome, JobClock, type JobRuns } from './jobs/job-clock.js';
export { JobNotices } from './jobs/job-notices.js';
export { JobEnds } from './jobs/job-ends.js';
export { type JobInput, MAX_JOB_NAME, MAX_JOB_PROMPT } from './jobs/job-input.js';
export {
  EXECUTION_STATUSES,
  type ExecutionRecord,
  JOB_STATES,
  JOB_STATUSES,
  type JobRecord,
  MISFIRE_POLICIES,
  type MisfirePolicy,
  NOTIFY_WAYS,
  type NotifyWay,
} from './jobs/job-record.js';
export { AgentJobs, MAX_JOBS } from './jobs/jobs.js';
export { OwnedAgentJobs } from './jobs/owned-jobs.js';
