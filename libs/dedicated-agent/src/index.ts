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
export { AgentActivity, type ActivityEntry } from './console/agent-activity.js';
export {
  AgentConsole,
  type ConsoleMessage,
  type ConsoleNotice,
  type ConsoleRun,
  type ConsoleTarget,
  type ConsoleTurn,
} from './console/agent-console.js';
export { DedicatedAgentModule } from './dedicated-agent.module.js';
export { EmbeddedGateway } from './embedded/embedded-gateway.js';
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
export { RunFollower } from './runs/run-follower.js';
export { AgentRunRetention } from './runs/run-retention.js';
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
