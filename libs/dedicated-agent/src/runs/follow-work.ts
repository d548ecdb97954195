import { accountIsActive } from '@app/access';
import { followAgentRunJob } from '@app/contracts';
import { defineWork } from '@app/work';
import type { AgentRunStatus, ExpiryPolicy } from './agent-run.js';
import { ON_EXPIRY } from './run-rows.js';

/** What a claim on a run gives. */
export interface FollowedRun {
  id: string;
  agentId: string;
  userId: number;
  status: AgentRunStatus;
  origin: string;
  input: string;
  instructions: string;
  model: string;
  sessionId: number | null;
  attachedFiles: string[];
  onExpiry: ExpiryPolicy;
  gatewayRunId: string | null;
  gatewayCursor: string | null;
  isUnreachable: boolean;
}

const OWNER = '(SELECT a.user_id FROM dedicated_agents a WHERE a.id = w.agent_id)';
/** Whoever pauses an agent may be lost before all of its runs are asked to end: it is done by whoever follows them. */
const STATUS = `CASE WHEN EXISTS (SELECT FROM dedicated_agents a WHERE a.id = w.agent_id AND a.status = 'running')
    THEN w.status ELSE 'stopping' END`;
const LONGEST_PAUSE_SECONDS = 30;

/**
 * The one subscriber of each run: what its gateway tells goes into our own log before anybody sees it. It is never given
 * up, since the run ends at its gateway or with it; with a closed account it rests.
 */
export const followWork = defineWork<FollowedRun>({
  work: 'agent run',
  job: followAgentRunJob,
  table: 'dedicated_agent_runs',
  key: { id: 'uuid' },
  columns: `w.id, w.agent_id AS "agentId", ${OWNER} AS "userId", ${STATUS} AS status, w.origin, w.input, w.instructions, w.model,
    w.session_id AS "sessionId", ${ON_EXPIRY('w')} AS "onExpiry", w.attached_files AS "attachedFiles", w.gateway_run_id AS "gatewayRunId",
    w.gateway_cursor AS "gatewayCursor", w.unreachable_since IS NOT NULL AS "isUnreachable"`,
  when: `w.finished_at IS NULL AND ${accountIsActive(OWNER)}`,
  retry: { tries: Infinity, delaySeconds: (attempt) => Math.min(2 ** (attempt - 1), LONGEST_PAUSE_SECONDS) },
  atOnceWithoutQueue: 20,
  ids: ({ id: runId, agentId }) => ({ runId, agentId }),
  ownerOf: ({ userId }) => userId,
});
