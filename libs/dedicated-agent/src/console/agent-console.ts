import { beginForeignTurn, type ConsoleSession, findConversation, openConsoleSession } from '@app/agents';
import { ConflictError, derivedId, newId } from '@app/common';
import { LiveBus } from '@app/live';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DedicatedAgents, requireRunning } from '../agents/dedicated-agents.js';
import { AgentGateway } from '../gateway/agent-gateway.js';
import type { AgentRunRecord } from '../runs/agent-run.js';
import { AgentRuns } from '../runs/agent-runs.js';

/** Namespace of the conversations of calls that wait for their answer, one per agent. */
const WAITING_CALLS = '5d1b3a0e-7c1f-4a52-9d5e-6a2f0c8b7e14';

/** `new`: a conversation of its own; `calls`: that of all calls that wait for their answer. */
export type ConsoleTarget = { sessionId: number } | 'new' | 'calls';

export interface ConsoleMessage {
  message: string;
  target: ConsoleTarget;
  attachedFiles: readonly string[];
}

export interface ConsoleTurn {
  run: AgentRunRecord;
  session: ConsoleSession;
}

/** A run of the console, or what the agent told there by itself, as its socket has to know it. */
export interface ConsoleRun {
  id: string;
  sessionId: number;
  /** Null: a run. */
  notice: ConsoleNotice | null;
}

/** How a job ended, or why it did not run; its text is the turn of the same id. */
export interface ConsoleNotice {
  jobId: string;
  jobName: string;
  status: string;
  runId: string | null;
}

/** Runs and notices, in one order. $1: the agent. */
const TOLD = `(SELECT id, session_id, finished_at IS NULL AS is_live, NULL::uuid AS job_id, '' AS job_name, '' AS status, NULL::uuid AS run_id
    FROM dedicated_agent_runs WHERE agent_id = $1 AND origin = 'chat' AND session_id IS NOT NULL
  UNION ALL SELECT id, session_id, false, job_id, job_name, status, run_id FROM dedicated_agent_notices WHERE agent_id = $1) told`;

/** What its owner says to an agent: runs of the origin `chat`, of which one is at work at a time. */
@Injectable()
export class AgentConsole {
  constructor(
    private readonly dataSource: DataSource,
    private readonly agents: DedicatedAgents,
    private readonly runs: AgentRuns,
    private readonly gateway: AgentGateway,
    private readonly live: LiveBus,
  ) {}

  /**
   * @throws as `AgentRuns.create` and `openConsoleSession`; ConflictError `agent_busy` with `busy_chat_session_id`
   */
  async begin(userId: number, { message, target, attachedFiles }: ConsoleMessage): Promise<ConsoleTurn> {
    const turn = await this.dataSource.transaction(async (tx) => {
      // Of two that come at once, the second one sees the run of the first.
      const agent = await this.agents.hold(userId, tx);
      const session = await openConsoleSession(tx, userId, placeOf(agent.id, target), message);
      requireRunning(agent);
      await this.requireIdle(tx, agent.id);
      const asked = { origin: 'chat', input: message, sessionId: session.id, attachedFiles } as const;
      const run = await this.runs.create(userId, asked, tx);
      if (!this.gateway.keepsMessages)
        await beginForeignTurn(tx, { id: run.id, sessionId: session.id, question: message, model: run.model });
      return { run, session };
    });
    this.runs.publishSoon(turn.run);
    this.live.publish(`agent:${turn.run.agentId}`, { runId: turn.run.id });
    return turn;
  }

  /** The first one behind the place, or there where that is included. */
  async findNext(agentId: string, place: { id: string; isIncluded: boolean }): Promise<ConsoleRun | null> {
    const [told] = await this.dataSource.query<ToldRow[]>(
      `SELECT id, session_id AS "sessionId", job_id AS "jobId", job_name AS "jobName", status, run_id AS "runId" FROM ${TOLD}
       WHERE id >= $2 AND (id > $2 OR $3) ORDER BY id LIMIT 1`,
      [agentId, place.id, place.isIncluded],
    );
    if (!told) return null;
    const { id, sessionId, jobId, ...notice } = told;
    return { id, sessionId, notice: jobId === null ? null : { jobId, ...notice } };
  }

  /** The run at work, or else what was told last, which is over; null: there was none. */
  async findPresent(agentId: string): Promise<{ id: string; isOver: boolean } | null> {
    const [run] = await this.dataSource.query<{ id: string; isOver: boolean }[]>(
      `SELECT id, NOT is_live AS "isOver" FROM ${TOLD} ORDER BY NOT is_live, id DESC LIMIT 1`,
      [agentId],
    );
    return run ?? null;
  }

  /** Whether it was told in the agent's console. */
  async has(agentId: string, runId: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(`SELECT FROM ${TOLD} WHERE id = $2`, [agentId, runId]);
    return rows.length > 0;
  }

  /** The number of what was told of the run last; 0: nothing yet. */
  async head(runId: string): Promise<number> {
    const [{ head }] = await this.dataSource.query<[{ head: number }]>(
      'SELECT coalesce(max(seq), 0) AS head FROM dedicated_agent_events WHERE run_id = $1',
      [runId],
    );
    return head;
  }

  /** What the conversation of a session is called; null where it is gone. */
  conversationOf(userId: number, sessionId: number): Promise<string | null> {
    return findConversation(this.dataSource.manager, userId, sessionId);
  }

  private async requireIdle(tx: EntityManager, agentId: string): Promise<void> {
    const [busy] = await tx.query<{ id: string; sessionId: number | null }[]>(
      `SELECT id, session_id AS "sessionId" FROM dedicated_agent_runs
       WHERE agent_id = $1 AND origin = 'chat' AND finished_at IS NULL ORDER BY id LIMIT 1`,
      [agentId],
    );
    if (!busy) return;
    throw new ConflictError('The agent is busy with another message.', {
      code: 'agent_busy',
      extra: { busy_chat_session_id: busy.sessionId, run_id: busy.id },
    });
  }
}

interface ToldRow {
  id: string;
  sessionId: number;
  jobId: string | null;
  jobName: string;
  status: string;
  runId: string | null;
}

function placeOf(agentId: string, target: ConsoleTarget): { sessionId: number } | { conversationId: string } {
  if (target === 'new') return { conversationId: newId() };
  return target === 'calls' ? { conversationId: derivedId(WAITING_CALLS, agentId) } : target;
}
