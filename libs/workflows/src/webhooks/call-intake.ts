import { type DataSource, QueryFailedError } from 'typeorm';
import { toJsonText } from '../runs/json-text.js';

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

interface Lane {
  waiting: Waiting[];
  isBusy: boolean;
}

/** Calls of one workflow always share a lane, so that they are taken in as they came. */
const LANES = 4;
const MAX_BATCH = 32;

/**
 * Writes calls down. What comes while a statement is under way goes with the next one, so that under load a round trip
 * and a commit are shared by many calls, and without load nobody waits for anybody.
 */
export class CallIntake {
  private readonly lanes: readonly Lane[] = Array.from({ length: LANES }, () => ({ waiting: [], isBusy: false }));

  constructor(
    private readonly dataSource: DataSource,
    private readonly queueLimit: number,
  ) {}

  /** Resolves when the call is committed, or was refused for a reason that the row tells. */
  take(call: IntakeCall): Promise<IntakeRow> {
    const lane = this.lanes[Number.parseInt(call.workflow.slice(0, 8), 16) % LANES]!;
    return new Promise((settle, fail) => {
      lane.waiting.push({ call, settle, fail });
      if (lane.isBusy) return;
      lane.isBusy = true;
      // What else this turn of the event loop has read goes along.
      setImmediate(() => void this.drain(lane));
    });
  }

  private async drain(lane: Lane): Promise<void> {
    while (lane.waiting.length > 0) await this.write(lane.waiting.splice(0, MAX_BATCH));
    lane.isBusy = false;
  }

  private async write(batch: Waiting[]): Promise<void> {
    try {
      const rows = await this.enqueue(batch.map(({ call }) => call));
      for (const row of rows) batch[row.place]!.settle(row);
    } catch (error) {
      // One of them (or a deadlock with a deletion) must not fail the others; none of them was written.
      if (batch.length > 1 && wasRolledBack(error)) for (const one of batch) await this.write([one]);
      else for (const { fail } of batch) fail(error);
    }
  }

  private enqueue(calls: readonly IntakeCall[]): Promise<IntakeRow[]> {
    const text = calls.map(({ payloadText, ...call }, place) => {
      const rest = toJsonText({ place, ...call });
      return payloadText === null ? rest : `${rest.slice(0, -1)},"payload":${payloadText}}`;
    });
    return this.dataSource.query<IntakeRow[]>('SELECT * FROM workflow_enqueue($1::jsonb, $2)', [
      `[${text.join(',')}]`,
      this.queueLimit,
    ]);
  }
}

/** Postgres itself refused the statement: unlike after a lost connection, it is known that nothing was committed. */
function wasRolledBack(error: unknown): boolean {
  return (
    error instanceof QueryFailedError && typeof (error.driverError as { severity?: unknown }).severity === 'string'
  );
}
