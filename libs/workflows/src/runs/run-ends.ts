import { MicroBatcher, newTimeOrderedId, toJsonText } from '@app/common';
import { executeRunJob } from '@app/contracts';
import { wasRolledBack } from '@app/entities';
import { Logger } from '@nestjs/common';
import type { JobMessage, Outbox, OutboxReceipt } from '@app/queues';
import type { DataSource } from 'typeorm';
import type { RunHandle, RunOutcome } from './run-store.js';

/** What is written when a run ends. */
export interface RunEnd extends RunHandle {
  workflowId: string;
  ownerId: number;
  outcome: RunOutcome;
  /** JSON: the rows of its nodes (`OutputFiles.toRowsText`). */
  nodes: string;
  /** JSON: the outputs to keep. */
  outputs: string | null;
  /** Who claims the next request of the workflow along with it; null: nobody, a job is added. */
  worker: string | null;
  /** The end is nobody's business but the workflow's queue: see `workflow_finish_runs`. */
  isPlain: boolean;
}

/** The run that begins in its place, without what only later claims of a run have. */
export interface NextRun {
  id: string;
  workflow_id: string;
  owner_id: number;
  version: number;
  content_revision: number;
  fence: number;
  lost_leases: number;
  payload_text: string | null;
  parent_version: number | null;
  start_node_id: string | null;
  run_to_the_end: boolean;
  save_outputs: boolean;
  correlation_id: string | null;
  parent_run_id: string | null;
  is_concurrent: boolean;
  started_at: string | null;
  /** Seconds since the webhook call was accepted that it answers. */
  lag: number | null;
}

export interface WrittenEnd {
  /** False: the run was stopped, or is another worker's. */
  accepted: boolean;
  parentRunId: string | null;
  next: NextRun | null;
  /** Adds a job for the next run, where nobody has claimed it. */
  receipt: OutboxReceipt | null;
}

interface Row {
  accepted: boolean;
  next: NextRun | null;
  outbox_id: string | null;
}

type TogetherRow = Row & { run_id: string };
type AloneRow = Row & { parent_run_id: string | null };

interface Waiting {
  end: RunEnd;
  /** Asks for the next run of the workflow; null: it is claimed. */
  message: JobMessage | null;
  settle(written: WrittenEnd): void;
  fail(error: unknown): void;
}

const LOST: WrittenEnd = { accepted: false, parentRunId: null, next: null, receipt: null };

/** In characters of its nodes and outputs: what is larger goes alone, so that nobody waits for it. */
const MAX_SHARED_TEXT = 32 * 1024;
const OVERFLOW = 8;
const RULES = { most: 64, atOnce: 2, overflow: OVERFLOW, crowdedPerSecond: 100, gatherMs: 8 };

/** SQL of what both functions answer, of the next run `n`. @param lag SQL: seconds since the call was accepted that it answers */
function answer(lag: string): string {
  return `f.accepted, CASE WHEN n.id IS NOT NULL THEN jsonb_build_object('id', n.id,
    'workflow_id', n.workflow_id, 'version', n.version, 'content_revision', n.content_revision, 'fence', n.fence,
    'lost_leases', n.lost_leases, 'parent_version', n.parent_version, 'start_node_id', n.start_node_id,
    'run_to_the_end', n.run_to_the_end, 'save_outputs', n.save_outputs, 'correlation_id', n.correlation_id,
    'parent_run_id', n.parent_run_id, 'is_concurrent', n.is_concurrent, 'started_at', n.started_at,
    'payload_text', n.payload::text, 'owner_id', f.owner_id, 'lag', ${lag}) END AS next`;
}

/** The row is taken apart once: for each `(f.next_run).field` Postgres would copy the description of the table. */
const NEXT_RUN = 'CROSS JOIN LATERAL (SELECT (f.next_run).*) AS n';

const TOGETHER = `/* kept */ SELECT f.run_id, f.outbox_id, ${answer('f.next_lag')} FROM workflow_finish_runs($1::json, $2, $3) AS f ${NEXT_RUN}`;

const LAG = `(SELECT extract(epoch FROM now() - q.queued_at)::float8 FROM workflow_requests q WHERE q.id = n.queue_request_id)`;
const ALONE = `SELECT f.outbox_id, f.parent_run_id, ${answer(LAG)}
  FROM workflow_finish_run($1, $2, $3, $4::jsonb, $5::json, $6::json, $7, $8, $9, $10::jsonb) AS f ${NEXT_RUN}`;

/** Writes down how runs have ended; plain ends that come at once share a statement. */
export class RunEnds {
  private readonly logger = new Logger(RunEnds.name);
  private readonly batches: MicroBatcher<Waiting>;

  /** @param held how many runs this process works on */
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly leaseSeconds: number,
    held: () => number,
  ) {
    // Where all that are held wait, nobody is left who could still come along.
    const enough = () => Math.min(OVERFLOW, held());
    this.batches = new MicroBatcher((batch) => this.carry(batch), { ...RULES, enough });
  }

  /** Resolves when it is committed. @throws what the database says: then it may be asked again */
  write(end: RunEnd): Promise<WrittenEnd> {
    const isShared = end.isPlain && end.outcome.status === 'COMPLETED';
    if (!isShared || end.nodes.length + (end.outputs?.length ?? 0) > MAX_SHARED_TEXT) return this.writeAlone(end);
    const message = end.worker === null ? this.messageAfter(end) : null;
    return new Promise((settle, fail) => this.batches.push({ end, message, settle, fail }));
  }

  private async carry(batch: readonly Waiting[]): Promise<void> {
    const left = await this.writeTogether(batch);
    for (const { end, settle, fail } of left) this.writeAlone(end).then(settle, fail);
  }

  /** @returns those that have to be written one by one */
  private async writeTogether(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    try {
      const rows = await this.finishRuns(batch);
      const rowOf = new Map(rows.map((row) => [row.run_id, row]));
      return batch.filter(({ end, message, settle }) => {
        const row = rowOf.get(end.runId);
        // Somebody else holds its workflow: the others do not wait for that.
        if (!row) return true;
        settle(this.written(row, message, null));
        return false;
      });
    } catch (error) {
      // One of them must not fail the others; none of them was written.
      if (wasRolledBack(error)) {
        this.logger.warn(`${batch.length} ends of runs are written one by one: ${String(error)}`);
        return batch;
      }
      for (const { fail } of batch) fail(error);
      return [];
    }
  }

  private finishRuns(ends: readonly Waiting[]): Promise<TogetherRow[]> {
    const text = ends.map(({ end: { runId, fence, workflowId, worker, nodes, outputs }, message }) => {
      const next = message ? { nextRun: message.payload.runId, message } : { nextRun: newTimeOrderedId(), worker };
      const key = toJsonText({ run: runId, fence, workflow: workflowId, ...next });
      return `${key.slice(0, -1)},"nodes":${nodes},"outputs":${outputs ?? 'null'}}`;
    });
    return this.dataSource.query<TogetherRow[]>(TOGETHER, [
      `[${text.join(',')}]`,
      ends.map(({ end }) => end.workflowId),
      this.leaseSeconds,
    ]);
  }

  private async writeAlone(end: RunEnd): Promise<WrittenEnd> {
    const { runId, fence, outcome, nodes, outputs, worker } = end;
    const message = this.messageAfter(end);
    const [row] = await this.dataSource.query<AloneRow[]>(ALONE, [
      runId,
      fence,
      outcome.status,
      outcome.error ? toJsonText(outcome.error) : null,
      nodes,
      outputs,
      message.payload.runId,
      worker,
      this.leaseSeconds,
      toJsonText(message),
    ]);
    return row ? this.written(row, message, row.parent_run_id) : LOST;
  }

  private messageAfter({ ownerId }: RunEnd): JobMessage {
    return this.outbox.prepare(executeRunJob, { runId: newTimeOrderedId(), fence: 0, ownerId });
  }

  private written(row: Row, message: JobMessage | null, parentRunId: string | null): WrittenEnd {
    const { accepted, next, outbox_id: id } = row;
    if (!accepted) return LOST;
    return { accepted, parentRunId, next, receipt: id && message ? this.outbox.adopt(message, id) : null };
  }
}
