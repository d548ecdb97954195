import { tellInConsole, type ToldTurn } from '@app/agents';
import { derivedId, newTimeOrderedId } from '@app/common';
import { LiveBus } from '@app/live';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AgentRunRecord } from '../runs/agent-run.js';
import type { PlannedJob } from './job-record.js';

/** Namespace of the conversations in which jobs tell what became of them, one per job. */
const CONVERSATIONS = '3c0f6c0b-5a0d-4d55-9d0f-2f6a3b8f0a61';

type Said = Pick<ToldTurn, 'answer' | 'status' | 'error'>;

interface Teller {
  job: Pick<PlannedJob, 'id' | 'agentId' | 'name' | 'prompt'>;
  userId: number;
  status: 'ok' | 'error' | 'blocked_config' | 'skipped';
  runId: string | null;
  fromTurnId: string | null;
}

/** Tells in the console how jobs end, and why they do not run; always in the transaction that makes it so. */
@Injectable()
export class JobNotices {
  constructor(private readonly live: LiveBus) {}

  /** A `RunEndedListener`. Of a job that was deleted meanwhile nothing is told. */
  async ended(tx: EntityManager, run: AgentRunRecord): Promise<void> {
    if (run.origin !== 'job' || run.jobId === null) return;
    const [job] = await tx.query<{ name: string; prompt: string }[]>(
      'SELECT name, prompt FROM dedicated_agent_jobs WHERE id = $1',
      [run.jobId],
    );
    if (!job) return;
    await this.tell(
      tx,
      {
        job: { ...job, id: run.jobId, agentId: run.agentId },
        userId: run.userId,
        status: run.status === 'completed' ? 'ok' : 'error',
        runId: run.id,
        fromTurnId: run.gatewayRunId === run.id ? run.id : null,
      },
      saidOf(run, job.name),
    );
  }

  /**
   * It does not run, for the same reason perhaps each time: that is told once until it runs again.
   * @returns whether it was told now
   */
  async refused(
    tx: EntityManager,
    job: PlannedJob & { userId: number },
    status: 'blocked_config' | 'skipped',
    reason: string,
  ): Promise<boolean> {
    if (job.toldError === reason) return false;
    await tx.query('UPDATE dedicated_agent_jobs SET told_error = $2 WHERE id = $1', [job.id, reason]);
    const answer = `The job ${JSON.stringify(job.name)} could not run: ${reason}`;
    const error = { code: `job_${status}`, detail: answer };
    const teller = { job, userId: job.userId, status, runId: null, fromTurnId: null };
    await this.tell(tx, teller, { answer, status: 'failed', error });
    return true;
  }

  /** After commit: whoever is connected looks. */
  announce(agentId: string): void {
    this.live.publish(`agent:${agentId}`, {});
  }

  private async tell(tx: EntityManager, { job, userId, status, runId, fromTurnId }: Teller, said: Said): Promise<void> {
    // What an agent says and is told stands in one order, by which sockets go on: ids are made one after the other.
    await tx.query('SELECT FROM dedicated_agents WHERE id = $1 FOR NO KEY UPDATE', [job.agentId]);
    const id = newTimeOrderedId();
    const session = await tellInConsole(tx, {
      ...said,
      id,
      userId,
      fromTurnId,
      conversationId: derivedId(CONVERSATIONS, job.id),
      title: job.name,
      question: job.prompt,
      job: { id: job.id, name: job.name, status, run_id: runId },
    });
    await tx.query(
      `INSERT INTO dedicated_agent_notices (id, agent_id, job_id, job_name, run_id, session_id, status)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [id, job.agentId, job.id, job.name, runId, session.id, status],
    );
  }
}

function saidOf({ status, output, error }: AgentRunRecord, name: string): Said {
  const job = `The job ${JSON.stringify(name)}`;
  const text = output?.trim() ?? '';
  if (status === 'completed')
    return { answer: text === '' ? `${job} is done.` : output!, status: 'completed', error: null };
  const detail =
    status === 'cancelled' ? `${job} was stopped.` : `${job} failed: ${error?.detail || 'nobody knows why'}`;
  const answer = text === '' ? detail : `${detail}\n\nUntil then it had:\n\n${text}`;
  if (status === 'cancelled') return { answer, status: 'interrupted', error: null };
  return { answer, status: 'failed', error: { code: error?.code || 'run_failed', detail } };
}
