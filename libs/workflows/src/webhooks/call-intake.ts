import { toJsonText } from '@app/common';
import { wasRolledBack } from '@app/entities';
import type { DataSource } from 'typeorm';

/** What `workflow_enqueue` takes of one call. */
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
/** Above this many calls a second a statement is put off for a moment, so that more of them share it. */
const CROWDED_PER_SECOND = 400;
const GATHER_MS = 8;
const GATHER_CALLS = 16;
const WINDOW_MS = 100;
/** Where so many wait although a statement is under way, another one takes them in beside it. */
const OVERFLOW_CALLS = 32;
const MAX_STATEMENTS = 3;

/**
 * Writes calls down. What comes while a statement is under way goes with the next one, so that under load a round trip
 * and a commit are shared by many calls, and without load nobody waits for anybody. Calls of one workflow are never in
 * two statements at once, so they are taken in as they came. A workflow whose row is locked by somebody else gets a lane
 * of its own, in which its calls wait in order and hold nobody else up.
 */
export class CallIntake {
  private waiting: Waiting[] = [];
  private readonly inFlight = new Set<string>();
  private readonly sides = new Map<string, Lane>();
  private statements = 0;
  private lastStart = 0;
  private isDue = false;
  private windowStart = 0;
  private inWindow = 0;
  private isCrowded = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly queueLimit: number,
  ) {}

  /** Resolves when the call is committed, or was refused for a reason that the row tells. */
  take(call: IntakeCall): Promise<IntakeRow> {
    this.countArrival();
    return new Promise((settle, fail) => {
      const side = this.sides.get(call.workflow);
      (side?.waiting ?? this.waiting).push({ call, settle, fail });
      if (!side) this.pump();
    });
  }

  private pump(): void {
    const { length } = this.waiting;
    if (length === 0 || this.isDue) return;
    if (this.statements > 0) {
      if (this.statements < MAX_STATEMENTS && length >= OVERFLOW_CALLS) this.start();
      return;
    }
    this.isDue = true;
    const rest = GATHER_MS - (performance.now() - this.lastStart);
    const go = () => {
      this.isDue = false;
      this.start();
    };
    // What else this turn of the event loop has read goes along in any case.
    if (this.isCrowded && length < GATHER_CALLS && rest > 0) setTimeout(go, rest);
    else setImmediate(go);
  }

  private start(): void {
    const batch = this.nextBatch();
    if (batch.length > 0) void this.carry(batch);
  }

  private async carry(batch: Waiting[]): Promise<void> {
    const workflows = new Set(batch.map(({ call }) => call.workflow));
    for (const workflow of workflows) this.inFlight.add(workflow);
    this.statements += 1;
    this.lastStart = performance.now();
    const busy = await this.write(batch, false);
    for (const workflow of workflows) this.inFlight.delete(workflow);
    this.statements -= 1;
    if (busy.length > 0) this.moveAside(busy);
    this.pump();
  }

  private nextBatch(): Waiting[] {
    const batch: Waiting[] = [];
    this.waiting = this.waiting.filter((one) => {
      if (batch.length === MAX_BATCH || this.inFlight.has(one.call.workflow)) return true;
      batch.push(one);
      return false;
    });
    return batch;
  }

  /** With those of the same workflows that came in the meantime. */
  private moveAside(busy: readonly Waiting[]): void {
    for (const one of busy) {
      const { workflow } = one.call;
      const known = this.sides.get(workflow);
      if (known) known.waiting.push(one);
      else this.sides.set(workflow, { waiting: [one], isBusy: false });
    }
    this.waiting = this.waiting.filter((one) => {
      const side = this.sides.get(one.call.workflow);
      side?.waiting.push(one);
      return !side;
    });
    for (const [workflow, lane] of this.sides) if (!lane.isBusy) void this.drainSide(workflow, lane);
  }

  private async drainSide(workflow: string, lane: Lane): Promise<void> {
    lane.isBusy = true;
    while (lane.waiting.length > 0) await this.write(lane.waiting.splice(0, MAX_BATCH), true);
    this.sides.delete(workflow);
  }

  /** @param waits for the rows of workflows that somebody else holds. @returns those that would have had to. */
  private async write(batch: Waiting[], waits: boolean): Promise<Waiting[]> {
    try {
      const rows = await this.enqueue(
        batch.map(({ call }) => call),
        waits,
      );
      const busy: Waiting[] = [];
      for (const row of rows) {
        if (row.outcome === 'busy') busy.push(batch[row.place]!);
        else batch[row.place]!.settle(row as IntakeRow);
      }
      return busy.toSorted((a, b) => batch.indexOf(a) - batch.indexOf(b));
    } catch (error) {
      // One of them (or a deadlock with a deletion) must not fail the others; none of them was written.
      if (batch.length > 1 && wasRolledBack(error)) for (const one of batch) await this.write([one], true);
      else for (const { fail } of batch) fail(error);
      return [];
    }
  }

  private enqueue(
    calls: readonly IntakeCall[],
    waits: boolean,
  ): Promise<(Omit<IntakeRow, 'outcome'> & { outcome: IntakeRow['outcome'] | 'busy' })[]> {
    const text = calls.map(({ payloadText, ...call }, place) => {
      const rest = toJsonText({ place, ...call });
      return payloadText === null ? rest : `${rest.slice(0, -1)},"payload":${payloadText}}`;
    });
    return this.dataSource.query('SELECT * FROM workflow_enqueue($1::jsonb, $2, $3)', [
      `[${text.join(',')}]`,
      this.queueLimit,
      waits,
    ]);
  }

  private countArrival(): void {
    const now = performance.now();
    const elapsed = now - this.windowStart;
    if (elapsed >= WINDOW_MS) {
      this.isCrowded = (this.inWindow / elapsed) * 1000 >= CROWDED_PER_SECOND;
      this.windowStart = now;
      this.inWindow = 0;
    }
    this.inWindow += 1;
  }
}
