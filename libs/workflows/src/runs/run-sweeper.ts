import { workflowOwnerIsActive } from '@app/access';
import { executeRunJob } from '@app/contracts';
import { JobQueues, type JobMessage, Outbox } from '@app/queues';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ACTIVE_RUNS } from './active-runs.js';
import { WaitingRequests } from './waiting-requests.js';

const BATCH = 500;
/** Also the code with which the node fails that waits for such a run. */
const OWNER_INACTIVE = 'owner_inactive';
/** A job that nobody took for so long may be lost; adding it again while it is still in the queue is harmless. */
const UNANSWERED_SECONDS = 3;

/**
 * Brings back what a crash, a lost queue or a lost message left behind. Everything is derived from rows; several
 * sweepers may run at once.
 */
@Injectable()
export class RunSweeper {
  private readonly logger = new Logger(RunSweeper.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly jobQueues: JobQueues,
    private readonly waiting: WaitingRequests,
  ) {}

  async sweep(): Promise<void> {
    await this.endOrphans();
    const notified = await this.notifyOfForgottenRuns();
    const started = await this.startForgottenRequests();
    if (notified + started > 0)
      this.logger.log(`Asked again for ${notified} runs, started ${started} waiting requests.`);
  }

  /**
   * Runs of deactivated owners rest until the account is active again. Those that somebody else's run waits for would let
   * it wait for ever: they end, and their callers' nodes fail.
   */
  private async endOrphans(): Promise<void> {
    const error = {
      nodeId: null,
      code: OWNER_INACTIVE,
      message: 'The account of the workflow’s owner is deactivated.',
    };
    const ended = await this.dataSource.query<unknown[]>(
      `SELECT workflow_stop_run(c.id, $1, $2::jsonb) FROM workflow_runs c
         JOIN workflow_runs p ON p.id = c.parent_run_id AND p.workflow_id <> c.workflow_id
       WHERE c.status IN ('PENDING', 'RUNNING') AND c.is_concurrent AND p.status IN ('PENDING', 'RUNNING')
         AND NOT ${workflowOwnerIsActive('c.workflow_id')} AND ${workflowOwnerIsActive('p.workflow_id')}
       LIMIT ${BATCH}`,
      [error.message, JSON.stringify(error)],
    );
    if (ended.length > 0) this.logger.log(`Ended ${ended.length} runs of deactivated owners that others waited for.`);
  }

  /** Runs whose worker was lost, whose time has come, or whose job nobody took. */
  private async notifyOfForgottenRuns(): Promise<number> {
    const rows = await this.dataSource.query<{ id: string; fence: number; correlation_id: string | null }[]>(
      `SELECT id, fence, correlation_id FROM ${ACTIVE_RUNS} r
       WHERE CASE
         WHEN status = 'PENDING' THEN created_at < now() - $1 * interval '1 second'
         WHEN lease_owner IS NULL THEN wake_at <= now() OR EXISTS (
           SELECT 1 FROM workflow_signals s WHERE s.run_id = r.id AND NOT s.consumed)
         ELSE lease_expires_at <= now() END AND ${workflowOwnerIsActive('r.workflow_id')}
       ORDER BY created_at LIMIT ${BATCH}`,
      [UNANSWERED_SECONDS],
    );
    const messages = rows.map(({ id, fence, correlation_id: requestId }): JobMessage => ({
      ...this.outbox.prepare(executeRunJob, { runId: id, fence }),
      requestId,
    }));
    if (messages.length > 0) await this.jobQueues.add(messages);
    return messages.length;
  }

  /** Webhook requests that wait although nothing runs. */
  private async startForgottenRequests(): Promise<number> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      // From one workflow with a queue to the next in the index: how long each queue is does not matter.
      `WITH RECURSIVE queues AS (
         (SELECT workflow_id FROM workflow_requests WHERE status = 'pending' ORDER BY workflow_id LIMIT 1)
         UNION ALL
         SELECT (SELECT p.workflow_id FROM workflow_requests p WHERE p.status = 'pending' AND p.workflow_id > q.workflow_id
           ORDER BY p.workflow_id LIMIT 1) FROM queues q WHERE q.workflow_id IS NOT NULL)
       SELECT w.id FROM queues JOIN workflows w ON w.id = queues.workflow_id
       WHERE w.deleted_at IS NULL AND ${workflowOwnerIsActive('w.id')}
         AND EXISTS (SELECT FROM workflow_requests p WHERE p.workflow_id = w.id AND p.status = 'pending'
           AND NOT p.awaiting_approval AND NOT p.awaiting_files)
         AND NOT EXISTS (SELECT 1 FROM workflow_runs r WHERE r.workflow_id = w.id AND r.status IN ('PENDING', 'RUNNING')
           AND NOT r.is_concurrent)
       LIMIT ${BATCH}`,
    );
    let started = 0;
    for (const { id } of rows) if (await this.waiting.startNext(id)) started += 1;
    return started;
  }
}
