import { type Language, Messages } from '@app/messages';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AgentRunRecord } from '../runs/agent-run.js';

interface EndedJob {
  name: string;
  notify: 'none' | 'mail';
}

interface Owner {
  email: string;
  firstName: string;
  language: Language;
}

/** What the end of a run means for its job, in the transaction that ends it; a `RunEndedListener`. */
@Injectable()
export class JobEnds {
  constructor(private readonly messages: Messages) {}

  async ended(tx: EntityManager, run: AgentRunRecord): Promise<void> {
    if (run.origin !== 'job' || run.jobId === null) return;
    const isDone = run.status === 'completed';
    const stopped = run.status === 'cancelled' ? 'The run was stopped.' : 'The run failed.';
    const error = isDone ? null : (run.error?.detail ?? stopped);
    const [closed] = await tx.query<[{ id: string }[], number]>(
      `UPDATE dedicated_agent_executions SET status = $2, finished_at = coalesce($3, now()), error = $4
       WHERE run_id = $1 AND status = 'running' RETURNING id`,
      [run.id, isDone ? 'ok' : 'error', run.finishedAt, error],
    );
    if (closed.length === 0) return;
    const [[job]] = await tx.query<[EndedJob[], number]>(
      `UPDATE dedicated_agent_jobs SET last_status = $2, last_error = $3, repeat_completed = repeat_completed + 1,
         state = CASE WHEN repeat_times <= repeat_completed + 1 OR state = 'scheduled' AND due_at IS NULL THEN 'completed' ELSE state END,
         enabled = enabled AND NOT coalesce(repeat_times <= repeat_completed + 1 OR state = 'scheduled' AND due_at IS NULL, false),
         next_run_at = CASE WHEN repeat_times <= repeat_completed + 1 THEN NULL ELSE next_run_at END,
         requested_at = CASE WHEN repeat_times <= repeat_completed + 1 THEN NULL ELSE requested_at END,
         due_at = CASE WHEN repeat_times <= repeat_completed + 1 THEN NULL ELSE due_at END
       WHERE id = $1 RETURNING name, notify`,
      [run.jobId, isDone ? 'ok' : 'error', error],
    );
    if (job?.notify === 'mail')
      await mailAboutJob(tx, this.messages, { userId: run.userId, job: job.name, error, result: run.output ?? '' });
  }
}

/** To the confirmed address of the owner; nothing where there is none. */
export async function mailAboutJob(
  tx: EntityManager,
  messages: Messages,
  about: { userId: number; job: string; error: string | null; result: string },
): Promise<void> {
  const { userId, job, error, result } = about;
  const [owner] = await tx.query<Owner[]>(
    `SELECT u.email, u.first_name AS "firstName", u.language FROM users u
     WHERE u.id = $1 AND u.email <> '' AND u.email_verified`,
    [userId],
  );
  if (!owner) return;
  await messages.enqueue(
    {
      channel: 'mail',
      template: error === null ? 'agent-job-done' : 'agent-job-failed',
      language: owner.language,
      to: owner.email,
      userId,
      params: { name: owner.firstName, job, result: error ?? (result.trim() || '–') },
    },
    tx,
  );
}
