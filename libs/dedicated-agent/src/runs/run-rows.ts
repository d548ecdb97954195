import { NotFoundError } from '@app/common';
import type { AgentRunRecord, AgentRunStatus, ExpiryPolicy, PendingApproval } from './agent-run.js';

export interface RunRow {
  id: string;
  agentId: string;
  userId: number;
  status: AgentRunStatus;
  origin: 'api' | 'chat' | 'job';
  input: string;
  instructions: string;
  model: string;
  sessionId: number | null;
  jobId: string | null;
  gatewayRunId: string | null;
  output: string | null;
  usage: Record<string, number> | null;
  errorCode: string;
  errorDetail: string;
  pending: PendingApproval[];
  onExpiry: ExpiryPolicy;
  createdAt: Date;
  updatedAt: Date;
  finishedAt: Date | null;
}

/** Of a run, a job, or a claim on one. */
export const ON_EXPIRY = (row: string): string => `CASE WHEN ${row}.halts_on_expiry THEN 'halt' ELSE 'deny' END`;

/** Of a run `r` of an agent `a`. */
export const RUN_COLUMNS = `r.id, r.agent_id AS "agentId", a.user_id AS "userId", r.status, r.origin, r.input, r.instructions,
  r.model, r.session_id AS "sessionId", r.job_id AS "jobId", r.gateway_run_id AS "gatewayRunId", r.output, r.usage,
  r.error_code AS "errorCode", r.error_detail AS "errorDetail", r.pending, ${ON_EXPIRY('r')} AS "onExpiry", r.created_at AS "createdAt",
  r.updated_at AS "updatedAt", r.finished_at AS "finishedAt"`;

export const RUNS = 'dedicated_agent_runs r JOIN dedicated_agents a ON a.id = r.agent_id';

export function toRunRecord(row: RunRow): AgentRunRecord {
  const { errorCode, errorDetail, ...run } = row;
  return { ...run, error: errorCode === '' ? null : { code: errorCode, detail: errorDetail } };
}

export const runNotFound = () => new NotFoundError('There is no such run.', { code: 'run_not_found' });
