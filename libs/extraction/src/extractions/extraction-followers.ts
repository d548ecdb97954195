import { LiveBus } from '@app/live';
import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { findExtraction } from './extraction-records.js';
import { isEnded, type ExtractionProgress } from './extraction-states.js';
import type { RowRecord } from '../tables/table-record.js';
import { findRowsById } from './shown-rows.js';

/** How soon what was told is seen where nobody says that it was. */
const POLL_MS = 1000;
const AT_ONCE = 200;
/** After the end of an extraction its events are kept so long; from then on its end alone is told. */
const KEPT_DAYS = 7;

interface EventRow {
  seq: number;
  type: 'row' | 'progress' | 'done';
  /** `RowPayload` of a row, else `ExtractionProgress`. */
  payload: object;
}

interface RowPayload {
  rowId: string;
  sourceUid: string;
}

/** What is told, with rows as they are now; null: the row is gone. */
export type ToldEvent =
  | { seq: number; type: 'row'; rowId: string; sourceUid: string; row: RowRecord | null }
  | { seq: number; type: 'progress' | 'done'; progress: ExtractionProgress };

/** What is told of extractions, to whoever follows. */
@Injectable()
export class ExtractionFollowers implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
    private readonly tasks: SoleTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.every('old events of extractions', 3600, () => this.forgetOld());
  }

  /**
   * Events after `seq` as they come, from whichever process; null now and then while there are none. Ends with `done`, or
   * with the extraction. A number that the log of one under way has not come to is of another one: then all of them.
   */
  async *follow(extractionId: string, seq: number, signal: AbortSignal): AsyncGenerator<ToldEvent | null, void> {
    for await (const events of this.followSome(extractionId, seq, signal)) {
      if (events.length === 0) yield null;
      const ids = events.flatMap((event) => (event.type === 'row' ? [(event.payload as RowPayload).rowId] : []));
      const rows = await findRowsById(this.dataSource, ids);
      for (const event of events) yield toTold(event, rows);
    }
  }

  private async *followSome(extractionId: string, seq: number, signal: AbortSignal): AsyncGenerator<EventRow[], void> {
    let wake = Promise.withResolvers<void>();
    const unsubscribe = await this.live
      .subscribe(`extraction:${extractionId}`, () => wake.resolve())
      .catch(() => () => undefined);
    try {
      let last: number | null = null;
      for (; !signal.aborted; wake = Promise.withResolvers()) {
        const extraction = await findExtraction(this.dataSource, extractionId, null);
        if (!extraction) return;
        last ??= !isEnded(extraction.state) && seq > extraction.lastSeq ? 0 : seq;
        const events = await this.read(extractionId, last);
        if (events.length > 0) yield events;
        last = events.at(-1)?.seq ?? last;
        const isOver = isEnded(extraction.state) && last >= extraction.lastSeq;
        if (isOver) return;
        if (events.length === AT_ONCE) continue;
        if (isEnded(extraction.state) && events.length === 0) {
          const { state, total, completed, failed, lastSeq } = extraction;
          yield [{ seq: lastSeq, type: 'done', payload: { state, total, completed, failed } }];
          return;
        }
        if (isEnded(extraction.state)) continue;
        await until(wake.promise, signal);
        yield [];
      }
    } finally {
      unsubscribe();
    }
  }

  private read(extractionId: string, after: number): Promise<EventRow[]> {
    return this.dataSource.query<EventRow[]>(
      `SELECT seq, type, payload FROM extraction_events WHERE extraction_id = $1 AND seq > $2 ORDER BY seq LIMIT ${AT_ONCE}`,
      [extractionId, after],
    );
  }

  private async forgetOld(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM extraction_events v WHERE v.extraction_id IN (SELECT e.id FROM extractions e
         WHERE e.completed_at < now() - $1 * interval '1 day'
           AND EXISTS (SELECT FROM extraction_events kept WHERE kept.extraction_id = e.id) LIMIT 100)`,
      [KEPT_DAYS],
    );
  }
}

function toTold({ seq, type, payload }: EventRow, rows: ReadonlyMap<string, RowRecord>): ToldEvent {
  if (type !== 'row') return { seq, type, progress: payload as ExtractionProgress };
  const { rowId, sourceUid } = payload as RowPayload;
  return { seq, type, rowId, sourceUid, row: rows.get(rowId) ?? null };
}

/** Resolves with the promise, with the signal, and after a while in any case. */
async function until(woken: Promise<void>, signal: AbortSignal): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const end = () => ended.resolve();
  const timer = setTimeout(end, POLL_MS);
  signal.addEventListener('abort', end, { once: true });
  await Promise.race([woken, ended.promise]);
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
}
