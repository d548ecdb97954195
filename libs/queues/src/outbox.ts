import { currentOrigin } from '@app/common';
import { JOBS, type JobDefinition } from '@app/contracts';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { JobQueues, type JobMessage } from './job-queues.js';

/** A message that stands in the outbox table. */
export interface OutboxReceipt extends JobMessage {
  /** Primary key of the row. */
  id: string;
}

export interface Refusal {
  /** Tries so far, this one included. */
  attempts: number;
  firstTriedAt: Date;
  error: string;
}

/** What a domain does when its job enters the queue, or cannot. Both may be called twice for one message. */
export interface DeliveryListener<P> {
  accepted?(payloads: P[]): Promise<void>;
  /** `give_up` drops the message: from then on the domain's own sweeper is in charge of it. */
  refused?(payload: P, refusal: Refusal): Promise<'retry' | 'give_up'>;
}

/** Seconds for which the relay leaves a new row to the process that wrote it. */
const HEAD_START_SECONDS = 3;
/** Well within the head start, and long enough for many to share a commit. */
const DELETE_AFTER_MS = 100;

/** No wait for the disk: what comes back after a crash of the server is delivered once more, as after one of ours. */
const DELETE_DELIVERED = `DELETE FROM outbox_messages USING (SELECT set_config('synchronous_commit', 'off', true)) AS not_waiting
  WHERE id = ANY($1::bigint[])`;

interface Waiting {
  receipt: OutboxReceipt;
  settle: (error: string | null) => void;
}

/**
 * The transactional outbox: a job is a row, written in the transaction of the change that asks for it, and goes
 * to the queue after commit. If the queue is away, or the process dies in between, the relay delivers it later.
 */
@Injectable()
export class Outbox implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Outbox.name);
  private readonly listeners = new Map<string, { job: JobDefinition<unknown>; listener: DeliveryListener<unknown> }>();
  private waiting: Waiting[] = [];
  private delivered: string[] = [];
  private deleteTimer: NodeJS.Timeout | null = null;

  constructor(
    private readonly dataSource: DataSource,
    private readonly jobQueues: JobQueues,
  ) {}

  onDelivery<P>(job: JobDefinition<P>, listener: DeliveryListener<P>): void {
    this.listeners.set(job.name, {
      job: job as JobDefinition<unknown>,
      listener: listener as DeliveryListener<unknown>,
    });
  }

  /** Jobs whose delivery this process could not tell to their domain; another process delivers them. */
  foreignJobs(): string[] {
    return JOBS.filter((job) => job.tracksDelivery && !this.listeners.has(job.name)).map((job) => job.name);
  }

  /** The row of a job, for a domain that writes it with a statement of its own. @throws ZodError for a wrong payload. */
  prepare<P>(job: JobDefinition<P>, payload: P): JobMessage {
    const checked = job.payload.parse(payload);
    return {
      job: job.name,
      queue: job.queue,
      jobKey: job.key(checked),
      payload: checked as Record<string, unknown>,
      requestId: currentOrigin(),
    };
  }

  /** A prepared row that now stands in the table. */
  adopt(message: JobMessage, id: string): OutboxReceipt {
    return { ...message, id };
  }

  /** Writes the job in the caller's transaction. Nothing is sent before `publish`, or the relay. */
  async enqueue<P>(
    job: JobDefinition<P>,
    payload: P,
    tx: EntityManager,
    options: { delayMs?: number } = {},
  ): Promise<OutboxReceipt> {
    const [receipt] = await this.enqueueAll(job, [payload], tx, options);
    return receipt!;
  }

  /** The same for many at once, in one statement; their keys differ. In the order of the payloads. */
  async enqueueAll<P>(
    job: JobDefinition<P>,
    payloads: readonly P[],
    tx: EntityManager,
    options: { delayMs?: number } = {},
  ): Promise<OutboxReceipt[]> {
    if (payloads.length === 0) return [];
    const messages = payloads.map((payload) => this.prepare(job, payload));
    const rows = await tx.query<{ id: string; jobKey: string }[]>(
      `INSERT INTO outbox_messages (job, queue, job_key, payload, request_id, available_at)
       SELECT $1, $2, m.key, m.payload, $5, now() + $6 * interval '1 second'
       FROM unnest($3::text[], $4::text[]::jsonb[]) AS m (key, payload) RETURNING id, job_key AS "jobKey"`,
      [
        job.name,
        job.queue,
        messages.map(({ jobKey }) => jobKey),
        messages.map(({ payload }) => JSON.stringify(payload)),
        currentOrigin(),
        (options.delayMs ?? 0) / 1000 || HEAD_START_SECONDS,
      ],
    );
    const ids = new Map(rows.map(({ id, jobKey }) => [jobKey, id]));
    return messages.map((message) => this.adopt(message, ids.get(message.jobKey)!));
  }

  /** Those of the rows for which a message of the job still stands here. @param ids with which the keys of the job begin */
  async findWaiting<P>(job: JobDefinition<P>, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT split_part(job_key, ':', 1) AS id FROM outbox_messages
       WHERE job = $1 AND split_part(job_key, ':', 1) = ANY ($2::text[])`,
      [job.name, ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Takes back what asks for work on something that is gone, so that not even its id stays. @throws when Redis is away */
  async withdraw<P>(job: JobDefinition<P>, payloads: readonly P[], tx: EntityManager): Promise<void> {
    if (payloads.length === 0) return;
    const keys = payloads.map((payload) => job.key(payload));
    await tx.query('DELETE FROM outbox_messages WHERE job = $1 AND job_key = ANY($2)', [job.name, keys]);
    await this.jobQueues.takeBack(
      job.queue,
      keys.map((key) => `${job.name}:${key}`),
    );
  }

  /** Sends what was committed and waits until the queue has it. Never throws: `pending` says that the relay will. */
  async publish(receipts: OutboxReceipt[]): Promise<{ pending: boolean; error: string | null }> {
    const errors = await Promise.all(receipts.map((receipt) => this.hand(receipt)));
    const error = errors.find((message) => message !== null) ?? null;
    return { pending: error !== null, error };
  }

  /** The same without waiting. */
  publishSoon(receipts: OutboxReceipt[]): void {
    for (const receipt of receipts) void this.hand(receipt);
  }

  /** Tells the domains that their jobs are in the queue. */
  async accepted(receipts: OutboxReceipt[]): Promise<void> {
    for (const { job, listener } of this.listeners.values()) {
      const payloads = receipts.filter((receipt) => receipt.job === job.name).flatMap((receipt) => read(job, receipt));
      if (payloads.length > 0) await listener.accepted?.(payloads);
    }
  }

  /** Tells the domain of a refused job; without a listener the relay goes on trying. */
  async refused(receipt: OutboxReceipt, refusal: Refusal): Promise<'retry' | 'give_up'> {
    const heard = this.listeners.get(receipt.job);
    const [payload] = heard ? read(heard.job, receipt) : [];
    if (!heard || payload === undefined) return 'retry';
    return (await heard.listener.refused?.(payload, refusal)) ?? 'retry';
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.deleteTimer) clearTimeout(this.deleteTimer);
    await this.deleteDelivered();
  }

  private hand(receipt: OutboxReceipt): Promise<string | null> {
    return new Promise((settle) => {
      // All that is handed over in one turn of the event loop shares one round trip.
      if (this.waiting.push({ receipt, settle }) === 1) setImmediate(() => void this.flush());
    });
  }

  private async flush(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    const receipts = batch.map(({ receipt }) => receipt);
    let error: string | null = null;
    try {
      await this.jobQueues.add(receipts);
      await this.accepted(receipts);
      this.deleteSoon(receipts.map(({ id }) => id));
    } catch (cause) {
      error = cause instanceof Error ? cause.message : String(cause);
      this.logger.warn(`${receipts.length} jobs stay in the outbox: ${error}`);
    }
    for (const { settle } of batch) settle(error);
  }

  /** A crash before the delete only means that the relay adds the job once more. */
  private deleteSoon(ids: string[]): void {
    this.delivered.push(...ids);
    this.deleteTimer ??= setTimeout(() => void this.deleteDelivered(), DELETE_AFTER_MS);
  }

  private async deleteDelivered(): Promise<void> {
    this.deleteTimer = null;
    const ids = this.delivered;
    this.delivered = [];
    if (ids.length === 0) return;
    try {
      await this.dataSource.query(DELETE_DELIVERED, [ids]);
    } catch (error) {
      this.logger.warn(`Delivered messages stay in the outbox for the relay: ${String(error)}`);
    }
  }
}

/** As this release has it: another one may have written it. Empty when it cannot be read, as a worker drops it then. */
function read<P>(job: JobDefinition<P>, { payload }: OutboxReceipt): P[] {
  const parsed = job.payload.safeParse(payload);
  return parsed.success ? [parsed.data] : [];
}
