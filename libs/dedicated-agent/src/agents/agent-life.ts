import { type AuditAction, type AuditEntry, AuditLog } from '@app/audit';
import { ConflictError, newId } from '@app/common';
import { LiveBus } from '@app/live';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AgentRecord } from './dedicated-agents.js';
import { IS_LIVE } from './live-runs.js';

/** Who does it: a person, an operator at a terminal, or the plan of its owner. */
export type Doer = NonNullable<AuditEntry['actor']> | 'terminal' | 'plan';

export interface ListedAgent {
  id: string;
  userId: number;
  username: string;
  status: AgentRecord['status'];
  flagged: boolean;
  liveRuns: number;
  since: Date;
}

export interface AgentChange {
  status: AgentRecord['status'];
  from: readonly string[];
  note: string;
}

const COLUMNS = 'a.id, a.user_id AS "userId", a.status, a.note';

/** What becomes of agents; their runs are asked to end by `AgentRuns`, after this. */
@Injectable()
export class AgentLife {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    private readonly live: LiveBus,
  ) {}

  /** Makes the agent of a flagged account, or brings a stopped one back. */
  async grant(userId: number, doer: Doer): Promise<AgentRecord> {
    const granted = await this.dataSource.transaction((tx) => this.grantWithin(tx, userId, doer));
    this.announce(userId);
    return granted;
  }

  /** The same in a transaction of the caller, who announces it after commit. */
  async grantWithin(tx: EntityManager, userId: number, doer: Doer): Promise<AgentRecord> {
    const [agent] = await tx.query<[AgentRecord]>(
      `WITH a AS (INSERT INTO dedicated_agents AS o (id, user_id, status) VALUES ($1, $2, 'running')
         ON CONFLICT (user_id) DO UPDATE SET updated_at = now(), note = CASE WHEN o.status = 'paused' THEN o.note ELSE '' END,
           status = CASE WHEN o.status = 'paused' THEN o.status ELSE 'running' END RETURNING *)
       SELECT ${COLUMNS} FROM a`,
      [newId(), userId],
    );
    await this.audit.record(entry('agent.granted', agent, doer), tx);
    return agent;
  }

  /** It begins nothing more. Null where there is none. */
  revoke(userId: number, doer: Doer): Promise<AgentRecord | null> {
    return this.become(userId, { status: 'stopped', from: ['provisioning', 'running', 'paused'], note: '' }, doer);
  }

  /** Until somebody of the staff resumes it. Null where there is none that could be paused. */
  pause(userId: number, doer: Doer, note: string): Promise<AgentRecord | null> {
    return this.become(userId, { status: 'paused', from: ['provisioning', 'running', 'paused'], note }, doer);
  }

  /** @throws ConflictError `agent_not_paused` */
  async resume(userId: number, doer: Doer): Promise<AgentRecord> {
    const agent = await this.become(userId, { status: 'running', from: ['paused'], note: '' }, doer);
    if (agent) return agent;
    throw new ConflictError('The agent is not paused.', { code: 'agent_not_paused' });
  }

  /** Of the user of that number, or the agent of that id; null where there is none. */
  async findOwner(key: { userId: number } | { agentId: string }): Promise<number | null> {
    const [row] = await this.dataSource.query<{ userId: number }[]>(
      `SELECT user_id AS "userId" FROM dedicated_agents WHERE user_id = $1 OR id = $2`,
      'userId' in key ? [key.userId, null] : [null, key.agentId],
    );
    return row?.userId ?? null;
  }

  list(limit: number): Promise<ListedAgent[]> {
    return this.dataSource.query<ListedAgent[]>(
      `SELECT a.id, a.user_id AS "userId", u.username, a.status, u.dedicated_agent AS flagged,
         (SELECT count(*)::int FROM dedicated_agent_runs r WHERE r.agent_id = a.id AND r.${IS_LIVE}) AS "liveRuns",
         a.created_at AS since
       FROM dedicated_agents a JOIN users u ON u.id = a.user_id ORDER BY a.created_at, a.id LIMIT $1`,
      [limit],
    );
  }

  private async become(userId: number, change: AgentChange, doer: Doer): Promise<AgentRecord | null> {
    const agent = await this.dataSource.transaction((tx) => this.becomeWithin(tx, userId, change, doer));
    this.announce(userId);
    return agent;
  }

  /** In a transaction of the caller, who announces it after commit. Null where there is none in such a state. */
  async becomeWithin(
    tx: EntityManager,
    userId: number,
    { status, from, note }: AgentChange,
    doer: Doer,
  ): Promise<AgentRecord | null> {
    const [before] = await tx.query<{ status: string }[]>(
      'SELECT status FROM dedicated_agents WHERE user_id = $1 FOR NO KEY UPDATE',
      [userId],
    );
    if (!before || !from.includes(before.status)) return null;
    const [after] = await tx.query<[AgentRecord]>(
      `WITH a AS (UPDATE dedicated_agents SET status = $2, note = $3, updated_at = now() WHERE user_id = $1 RETURNING *)
       SELECT ${COLUMNS} FROM a`,
      [userId, status, note],
    );
    if (before.status !== status) await this.audit.record(entry(ACTIONS[status], after, doer), tx);
    return after;
  }

  /** Profiles show how the agent stands, and are remembered. */
  announce(userId: number): void {
    this.live.invalidate('principals', { userId });
  }
}

const ACTIONS: Readonly<Record<AgentRecord['status'], AuditAction>> = {
  provisioning: 'agent.granted',
  running: 'agent.resumed',
  paused: 'agent.paused',
  stopped: 'agent.revoked',
};

function entry(action: AuditAction, { id, userId }: AgentRecord, doer: Doer) {
  const by =
    typeof doer === 'string'
      ? { actor: null, details: { by: doer } }
      : { actor: { userId: doer.userId, username: doer.username }, details: {} };
  return { action, ...by, subjectId: userId, target: `agent:${id}` };
}
