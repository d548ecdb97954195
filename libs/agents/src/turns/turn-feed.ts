import { LiveBus } from '@app/live';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SealedText } from '../sealed/sealed-text.js';
import { publishedEvents, type LoggedEvent } from './compacted-text.js';
import { toEndData } from './turn-rows.js';
import type { StoredTurnEvent, TurnEvent, TurnStatus } from '../turn-events/turn-event.js';
import { inWireOrder } from './wire-order.js';

/** How soon something is seen that nobody told of, because Redis was away; later the longer nothing comes. */
const SILENCE_MS = 1000;
const MAX_SILENCE_MS = 5000;
const PAGE = 500;
/** Of the end of a turn whose log is gone: behind every number that it can have had, so that a client which comes back with it has had all. */
const RETOLD_END = 999_999_999;

type State = {
  status: TurnStatus;
  answer: string;
  sources: unknown[];
  prompt_tokens: number | null;
  completion_tokens: number | null;
  error_code: string;
  error_detail: string;
  /** What was said is the client's secret, and nothing of it is here any more. */
  is_erased: boolean;
  ahead: number;
};

/** What is told of a turn, for whoever wants to hear it: from Postgres, and as it comes from whichever process. */
@Injectable()
export class TurnFeed {
  private readonly logger = new Logger(TurnFeed.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
    private readonly sealed: SealedText,
  ) {}

  /**
   * Events with a higher number than `after`, in order and without gaps; ends after `end`. A number that the log of a turn
   * under way has not come to is of another one: then all of them. Null: nothing new for a
   * while. Of a turn in the queue, `queued` (with the number `after`) whenever its position changes. Whether the caller
   * may see the turn is not asked here.
   */
  async *follow(
    turnId: string,
    { after, signal }: { after: number; signal: AbortSignal },
  ): AsyncGenerator<StoredTurnEvent | null, void> {
    const inbox = new Inbox(signal);
    // Without Redis it takes until Redis is back; what was told before is read when it is there.
    const subscription = this.live.subscribe(`turn:${turnId}`, ({ events }) => inbox.put(events));
    subscription.then(
      () => inbox.put([]),
      (error: Error) => this.logger.warn(`A turn is not followed live: ${error.message}`),
    );
    try {
      let last = await this.placeOf(turnId, after);
      let position: number | null = null;
      let isBehind = true;
      let silenceMs = SILENCE_MS;
      while (!signal.aborted) {
        if (isBehind) {
          const stored = await this.read(turnId, last);
          if (stored.length > 0) silenceMs = SILENCE_MS;
          for (const event of stored.flatMap(publishedEvents)) {
            if (event.seq <= last) continue;
            yield this.toStored(turnId, event);
            last = event.seq;
            if (event.type === 'end') return;
          }
          if (stored.length === PAGE) continue;
          if (stored.length === 0) {
            const state = await this.stateOf(turnId);
            if (!state) return;
            if (state.status === 'queued' && state.ahead !== position) {
              position = state.ahead;
              yield { turnId, seq: last, type: 'queued', data: { position } };
            }
            if (isOver(state.status) && !(await this.hasEvents(turnId))) {
              if (last < RETOLD_END) yield* retold(turnId, state);
              return;
            }
            // Nothing comes after the end, which the caller has had.
            if (isOver(state.status) && (await this.read(turnId, last)).length === 0) return;
          }
          isBehind = false;
        }
        const events = await inbox.take(silenceMs);
        if (events.length === 0) {
          isBehind = true;
          silenceMs = Math.min(silenceMs * 2, MAX_SILENCE_MS);
          yield null;
          continue;
        }
        silenceMs = SILENCE_MS;
        for (const event of events) {
          if (event.seq <= last) continue;
          if (event.seq > last + 1) {
            isBehind = true;
            break;
          }
          yield this.toStored(turnId, event);
          last = event.seq;
          if (event.type === 'end') return;
        }
      }
    } finally {
      subscription.then(
        (unsubscribe) => unsubscribe(),
        () => undefined,
      );
    }
  }

  private toStored(turnId: string, { seq, type, data }: LoggedEvent): StoredTurnEvent {
    return inWireOrder(this.sealed.openEvent({ turnId, seq, type, data } as StoredTurnEvent));
  }

  /** After the end, whoever names a higher number has had all. */
  private async placeOf(turnId: string, after: number): Promise<number> {
    if (after === 0) return 0;
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM chat_turns t WHERE t.id = $1 AND t.status IN ('queued', 'running', 'waiting_input')
         AND NOT EXISTS (SELECT FROM chat_turn_events e WHERE e.turn_id = t.id AND e.seq >= $2)`,
      [turnId, after],
    );
    return rows.length > 0 ? 0 : after;
  }

  private read(turnId: string, after: number): Promise<LoggedEvent[]> {
    return this.dataSource.query<LoggedEvent[]>(
      `SELECT seq, type, data FROM chat_turn_events WHERE turn_id = $1 AND seq > $2 ORDER BY seq LIMIT ${PAGE}`,
      [turnId, after],
    );
  }

  private async stateOf(turnId: string): Promise<State | null> {
    const [row] = await this.dataSource.query<State[]>(
      `SELECT t.status, t.answer, t.sources, t.prompt_tokens, t.completion_tokens, t.error_code, t.error_detail,
         t.request ? 'erased' AND t.answer = '' AS is_erased,
         (SELECT count(*)::int FROM chat_turns o WHERE o.session_id = t.session_id AND o.handler <> ''
           AND (o.status IN ('running', 'waiting_input') OR o.status = 'queued' AND o.seq < t.seq)) AS ahead
       FROM chat_turns t WHERE t.id = $1`,
      [turnId],
    );
    return row ?? null;
  }

  private async hasEvents(turnId: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>('SELECT 1 FROM chat_turn_events WHERE turn_id = $1 LIMIT 1', [
      turnId,
    ]);
    return rows.length > 0;
  }
}

/** What was told over Redis since it was last taken. */
class Inbox {
  private events: LoggedEvent[] = [];
  private wake: (() => void) | null = null;

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.wake?.(), { once: true });
  }

  put(events: readonly LoggedEvent[]): void {
    this.events.push(...events);
    this.wake?.();
  }

  /** Empty when nothing came in time, or it is time to look into the log. */
  async take(silenceMs: number): Promise<LoggedEvent[]> {
    if (this.events.length === 0 && !this.signal.aborted)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, silenceMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.wake = null;
    return this.events.splice(0);
  }
}

function isOver(status: TurnStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'interrupted';
}

/** A turn whose pieces are kept no longer, told at once. */
function* retold(turnId: string, state: State): Generator<StoredTurnEvent, void> {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens, error_code: code } = state;
  const usage = promptTokens === null || completionTokens === null ? null : { promptTokens, completionTokens };
  if (state.is_erased) {
    const shown = { code: 'turn_erased', detail: 'What was said here is kept no longer.' };
    yield { turnId, seq: RETOLD_END, type: 'end', data: toEndData({ status: 'failed', usage, error: shown }) };
    return;
  }
  const error = state.status === 'failed' ? { code: code || 'internal_error', detail: state.error_detail } : null;
  const events: TurnEvent[] = [
    { type: 'sources', data: { sources: state.sources } },
    { type: 'delta', data: { offset: 0, text: state.answer } },
    { type: 'end', data: toEndData({ status: state.status as 'completed', usage, error }) },
  ];
  for (const [at, event] of events.entries()) {
    // Whoever heard pieces before hears the whole again: `offset` says where it belongs.
    const seq = RETOLD_END - events.length + 1 + at;
    yield inWireOrder({ turnId, seq, ...event });
  }
}
