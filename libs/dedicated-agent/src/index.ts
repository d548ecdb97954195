export { type AgentRecord, DedicatedAgents } from './agents/dedicated-agents.js';
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
} from './gateway/agent-gateway.js';
export type { AgentRunRecord, AgentRunStatus, NewAgentRun } from './runs/agent-run.js';
