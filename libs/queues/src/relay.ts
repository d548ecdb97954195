import { cutText } from '@app/common';
import type { QueueName } from '@app/contracts';
import { measureWaiting } from '@app/entities';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { JobQueues } from './job-queues.js';
import { Outbox, type OutboxReceipt } from './outbox.js';
import { SoleTasks } from './sole-tasks.js';

const BATCH = 200;
/** Back-off of a refused message: 5 s, doubling up to 5 min (docs/contract/documents.md#states). */
const backoffSeconds = (attempts: number) => Math.min(300, 5 * 2 ** (attempts - 1));

interface OutboxRow {
  id: string;
  job: string;
  queue: QueueName;
  job_key: string;
  payload: Record<string, unknown>;
  request_id: string | null;
  attempts: number;
  created_at: Date;
}

/** Delivers what its writer could not: one process at a time does; several would share the rows by SKIP LOCKED. */
@Injectable()
export class Relay implements OnApplicationBootstrap {
  private readonly logger = new Logger(Relay.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly jobQueues: JobQueues,
    private readonly outbox: Outbox,
    private readonly tasks: SoleTasks,
  ) {}

  onApplicationBootstrap(): void {
    // Messages that stand for a later time are not waiting.
    const due = 'available_at <= now() OR attempts > 0';
    measureWaiting(this.dataSource, 'outbox', [
      { work: 'outbox', from: 'outbox_messages', where: due, since: 'created_at' },
    ]);
    this.jobQueues.onReturn(() => {
      this.bringForward().catch((error: Error) =>
        this.logger.warn(`Refused messages wait their time: ${error.message}`),
      );
    });
    // Processes that can deliver the same jobs stand in for each other.
    const foreign = this.outbox.foreignJobs().toSorted().join(', ');
    this.tasks.every(foreign === '' ? 'outbox relay' : `outbox relay without ${foreign}`, 1, async () => {
      while ((await this.deliverDue()) === BATCH);
    });
  }

  /** @returns how many messages were looked at. */
  async deliverDue(): Promise<number> {
    return this.dataSource.transaction(async (tx) => {
      const rows = await tx.query<OutboxRow[]>(
        `SELECT id, job, queue, job_key, payload, request_id, attempts, created_at FROM outbox_messages
         WHERE available_at <= now() AND job <> ALL($2::text[]) ORDER BY available_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
        [BATCH, this.outbox.foreignJobs()],
      );
      if (rows.length === 0) return 0;
      const receipts = rows.map(toReceipt);
      try {
        await this.jobQueues.add(receipts);
      } catch (error) {
        await this.putOff(rows, error instanceof Error ? error.message : String(error), tx);
        return 0;
      }
      await this.outbox.accepted(receipts);
      await tx.query('DELETE FROM outbox_messages WHERE id = ANY($1::bigint[])', [rows.map((row) => row.id)]);
      return rows.length;
    });
  }

  /** What the queue refused need not sit out its back-off, which is for a queue that is still away. */
  async bringForward(): Promise<void> {
    await this.dataSource.query(
      'UPDATE outbox_messages SET available_at = now() WHERE attempts > 0 AND available_at > now()',
    );
  }

  private async putOff(rows: OutboxRow[], error: string, tx: EntityManager): Promise<void> {
    this.logger.warn(`The queue does not take ${rows.length} messages: ${error}`);
    for (const row of rows) {
      const attempts = row.attempts + 1;
      const verdict = await this.outbox.refused(toReceipt(row), { attempts, firstTriedAt: row.created_at, error });
      if (verdict === 'give_up') await tx.query('DELETE FROM outbox_messages WHERE id = $1', [row.id]);
      else
        await tx.query(
          `UPDATE outbox_messages SET attempts = $2, last_error = $3, available_at = now() + $4 * interval '1 second' WHERE id = $1`,
          [row.id, attempts, cutText(error, 500), backoffSeconds(attempts)],
        );
    }
  }
}

function toReceipt(row: OutboxRow): OutboxReceipt {
  const { id, job, queue, payload } = row;
  return { id, job, queue, payload, jobKey: row.job_key, requestId: row.request_id };
}
