import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { TurnUsage } from '@app/models';
import type { AgentRecord } from '../agents/dedicated-agents.js';

/** No run is at work for longer: what waits for a person is refused after a day. */
const LONGEST_RUN_DAYS = 7;

export interface ActivityEntry {
  /** The tool that was called, or what happened: `run.started`, `approval.request`, `agent.paused`. */
  name: string;
  success: boolean;
  durationMs: number;
  at: Date;
  /** Null: of the agent itself. */
  runId: string | null;
  origin: 'api' | 'chat' | 'job' | null;
}

/** What an agent has done. */
@Injectable()
export class AgentActivity {
  constructor(
    private readonly dataSource: DataSource,
    private readonly usage: TurnUsage,
  ) {}

  /** Newest first: how the agent came to stand where it stands, runs that began and ended, what they asked and called. */
  async list({ id, status }: AgentRecord, limit: number): Promise<ActivityEntry[]> {
    return this.dataSource.query<ActivityEntry[]>(
      `WITH r AS (SELECT id, origin, created_at, status, finished_at FROM dedicated_agent_runs WHERE agent_id = $1
         ORDER BY id DESC LIMIT $2)
       SELECT name, success, duration_ms AS "durationMs", at, run_id AS "runId", origin FROM (
         SELECT 'run.started' AS name, true AS success, 0 AS duration_ms, r.created_at AS at, r.id AS run_id, r.origin, 0 AS seq FROM r
         UNION ALL
         SELECT CASE WHEN e.event = 'tool.completed' THEN coalesce(e.data->>'tool', '') WHEN e.event = 'stage' THEN 'budget.soft_cap'
             ELSE e.event END,
           e.event <> 'run.failed' AND e.data->'error' IS DISTINCT FROM 'true'::jsonb,
           CASE WHEN e.event = 'tool.completed' AND jsonb_typeof(e.data->'duration') = 'number'
               THEN least(greatest((e.data->>'duration')::float8 * 1000, 0), 2000000000)::int
             WHEN e.event IN ('run.completed', 'run.failed', 'run.cancelled')
               THEN least(greatest(extract(epoch FROM r.finished_at - r.created_at) * 1000, 0), 2000000000)::int ELSE 0 END,
           e.created_at, r.id, r.origin, e.seq
         FROM r JOIN dedicated_agent_events e ON e.run_id = r.id AND (e.event IN ('tool.completed', 'approval.request',
           'approval.responded', 'run.steered', 'run.completed', 'run.failed', 'run.cancelled')
           OR e.event = 'stage' AND e.data->>'event_type' = 'stage:budget')
         UNION ALL
         SELECT 'agent.' || $3::text, true, 0, a.updated_at, NULL, NULL, 0 FROM dedicated_agents a WHERE a.id = $1
       ) all_of_it ORDER BY at DESC, run_id DESC NULLS LAST, seq DESC LIMIT $2`,
      [id, limit, status],
    );
  }

  /** What its runs have cost since the first of the month; null where that is not written down. */
  async spentThisMonth({ id, userId }: AgentRecord): Promise<number | null> {
    const runs = await this.dataSource.query<{ id: string }[]>(
      // Ids are by time: those of before are passed over without a look at their rows.
      `SELECT id FROM dedicated_agent_runs WHERE agent_id = $1 AND id >= (lpad(to_hex(extract(epoch FROM
         date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - ${LONGEST_RUN_DAYS} * interval '1 day')::bigint * 1000), 12, '0')
         || repeat('0', 20))::uuid`,
      [id],
    );
    return this.usage.spentThisMonth(
      userId,
      runs.map((run) => run.id),
    );
  }
}
