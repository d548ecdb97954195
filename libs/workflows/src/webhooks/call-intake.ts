import { MicroBatcher, toJsonText } from '@app/common';
import { wasRolledBack } from '@app/entities';
import type { DataSource } from 'typeorm';

/** What `workflow_enqueue` and `workflow_enqueue_plain` take of one call. */
export interface IntakeCall {
  workflow: string;
  request: string;
  run: string;
  /** JSON, spliced in as it is. */
  payloadText: string | null;
  fileUrls?: string[];
  files?: object[];
  startNode: string | null;
  toTheEnd: boolean;
  key: string | null;
  correlation: string | null;
  message: object;
  filesMessage?: object;
}

export interface IntakeRow {
  place: number;
  outcome: 'started' | 'queued' | 'duplicate' | 'queue_full' | 'gone';
  request_id: string;
  queue_position: number;
  state: 'pending' | 'running' | 'done' | 'failed' | 'cancelled' | null;
  is_awaiting: boolean;
  outbox_id: string | null;
  files_outbox_id: string | null;
}

type EnqueuedRow = Omit<IntakeRow, 'outcome'> & { outcome: IntakeRow['outcome'] | 'busy' };

interface Waiting {
  call: IntakeCall;
  settle(row: IntakeRow): void;
  fail(error: unknown): void;
}

/** The calls of one workflow whose row somebody else holds. */
interface Lane {
  waiting: Waiting[];
  isBusy: boolean;
}

const MAX_BATCH = 128;

/** What the statement can do, and whether it waits for the rows of workflows that somebody else holds. */
interface Way {
  isPlain: boolean;
  waits: boolean;
}

/**
 * Writes calls down; those that come at once share a statement. Calls of one workflow are never in two statements at
 * once, so they are taken in as they came. A workflow whose row is locked by somebody else gets a lane of its own, in
 * which its calls wait in order and hold nobody else up.
 */
export class CallIntake {
  private readonly inFlight = new Set<string>();
  private readonly sides = new Map<string, Lane>();
  private readonly batches = new MicroBatcher<Waiting>((batch) => this.carry(batch), {
    most: MAX_BATCH,
    atOnce: 3,
    overflow: 32,
    crowdedPerSecond: 400,
    gatherMs: 8,
    enough: () => 16,
    pick: (waiting) => waiting.filter(({ call }) => !this.inFlight.has(call.workflow)),
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly queueLimit: number,
  ) {}

  /** Resolves when the call is committed, or was refused for a reason that the row tells. */
  take(call: IntakeCall): Promise<IntakeRow> {
    return new Promise((settle, fail) => {
      const one = { call, settle, fail };
      const side = this.sides.get(call.workflow);
      if (side) side.waiting.push(one);
      else this.batches.push(one);
    });
  }

  private async carry(batch: readonly Waiting[]): Promise<void> {
    const workflows = new Set(batch.map(({ call }) => call.workflow));
    for (const workflow of workflows) this.inFlight.add(workflow);
    // All calls of a workflow go the same way, so that they stay in order.
    const marked = new Set(batch.flatMap(({ call }) => (isPlain(call) ? [] : [call.workflow])));
    const together = batch.filter(({ call }) => !marked.has(call.workflow));
    const others = batch.filter(({ call }) => marked.has(call.workflow));
    const busy = (
      await Promise.all([
        this.write(together, { isPlain: true, waits: false }),
        this.write(others, { isPlain: false, waits: false }),
      ])
    ).flat();
    for (const workflow of workflows) this.inFlight.delete(workflow);
    if (busy.length > 0) this.moveAside(busy);
  }

  /** With those of the same workflows that came in the meantime. */
  private moveAside(busy: readonly Waiting[]): void {
    for (const one of busy) {
      const { workflow } = one.call;
      const known = this.sides.get(workflow);
      if (known) known.waiting.push(one);
      else this.sides.set(workflow, { waiting: [one], isBusy: false });
    }
    for (const one of this.batches.takeOut(({ call }) => this.sides.has(call.workflow)))
      this.sides.get(one.call.workflow)!.waiting.push(one);
    for (const [workflow, lane] of this.sides) if (!lane.isBusy) void this.drainSide(workflow, lane);
  }

  private async drainSide(workflow: string, lane: Lane): Promise<void> {
    lane.isBusy = true;
    while (lane.waiting.length > 0) {
      const batch = lane.waiting.splice(0, MAX_BATCH);
      await this.write(batch, { isPlain: batch.every(({ call }) => isPlain(call)), waits: true });
    }
    this.sides.delete(workflow);
  }

  /** @returns those that would have had to wait for somebody else. */
  private async write(batch: readonly Waiting[], way: Way): Promise<Waiting[]> {
    if (batch.length === 0) return [];
    try {
      const rows = await this.enqueue(
        batch.map(({ call }) => call),
        way,
      );
      const busy: Waiting[] = [];
      for (const row of rows) {
        if (row.outcome === 'busy') busy.push(batch[row.place]!);
        else batch[row.place]!.settle(row as IntakeRow);
      }
      return busy.toSorted((a, b) => batch.indexOf(a) - batch.indexOf(b));
    } catch (error) {
      // One of them (or a deadlock with a deletion, or a statement that the connection keeps no more) must not fail the
      // others; none of them was written.
      if ((batch.length > 1 || way.isPlain) && wasRolledBack(error))
        for (const one of batch) await this.write([one], { isPlain: false, waits: true });
      else for (const { fail } of batch) fail(error);
      return [];
    }
  }

  private enqueue(calls: readonly IntakeCall[], { isPlain: plain, waits }: Way): Promise<EnqueuedRow[]> {
    const text = calls.map(({ payloadText, ...call }, place) => {
      const rest = toJsonText({ place, ...call });
      return payloadText === null ? rest : `${rest.slice(0, -1)},"payload":${payloadText}}`;
    });
    const json = `[${text.join(',')}]`;
    if (plain)
      return this.dataSource.query<EnqueuedRow[]>(
        '/* kept */ SELECT * FROM workflow_enqueue_plain($1::json, $2, $3, $4)',
        [json, calls.map(({ workflow }) => workflow), this.queueLimit, waits],
      );
    return this.dataSource.query<EnqueuedRow[]>('SELECT * FROM workflow_enqueue($1::json, $2, $3)', [
      json,
      this.queueLimit,
      waits,
    ]);
  }
}

/** Nothing of it has to be looked up or written but the request, its run and the job. */
function isPlain({ key, files, startNode }: IntakeCall): boolean {
  return key === null && !files && startNode === null;
}
