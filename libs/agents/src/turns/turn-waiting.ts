import { AutoResetEvent, GatewayTimeoutError } from '@app/common';
import { LiveBus } from '@app/live';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { TurnView } from './turn-view.js';
import { Turns } from './turns.js';

/** What no message told is noticed after this long. */
const LOOK_MS = 1500;

type State = { status: string; isReplied: boolean; ahead: number };

/** Waits for turns that are at work anywhere, without hearing all that they tell. */
@Injectable()
export class TurnWaiting implements BeforeApplicationShutdown {
  private readonly logger = new Logger(TurnWaiting.name);
  private readonly stopping = new AbortController();

  constructor(
    private readonly dataSource: DataSource,
    private readonly turns: Turns,
    private readonly live: LiveBus,
  ) {}

  /**
   * Waits until the turn has ended, asks something, or has to wait for others.
   * @param gone aborts when nobody waits any longer; the turn goes on.
   * @throws GatewayTimeoutError `turn_continues` when the time is over, and when nobody waits; NotFoundError when it was deleted
   */
  async outcome(userId: number, turnId: string, seconds: number, gone: AbortSignal): Promise<TurnView> {
    const signal = AbortSignal.any([gone, this.stopping.signal, AbortSignal.timeout(seconds * 1000)]);
    const begun = await this.turns.get(userId, turnId);
    if (isSettled(begun)) return begun;
    const changed = new AutoResetEvent();
    // Without Redis it takes until Redis is back.
    const subscription = this.live.subscribe(
      `conversation:${begun.conversationId}`,
      (message) => void ('turnId' in message && changed.set()),
    );
    subscription.then(
      () => changed.set(),
      (error: Error) => this.logger.warn(`A turn is only looked at now and then: ${error.message}`),
    );
    try {
      for (;;) {
        if (await this.mayBeSettled(turnId)) {
          const view = await this.turns.get(userId, turnId);
          if (isSettled(view)) return view;
        }
        if (signal.aborted)
          throw new GatewayTimeoutError('The turn continues: its answer arrives on the socket.', {
            code: 'turn_continues',
            extra: { turn_id: turnId, chat_session_id: begun.sessionId },
          });
        await changed.wait(LOOK_MS, signal);
      }
    } finally {
      subscription.then(
        (unsubscribe) => unsubscribe(),
        () => undefined,
      );
    }
  }

  /** Whoever waits is told at once that the turn goes on: it does, elsewhere. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** Without the text that was told so far, which may be long. */
  private async mayBeSettled(turnId: string): Promise<boolean> {
    const [state] = await this.dataSource.query<State[]>(
      `SELECT t.status, t.reply IS NOT NULL AS "isReplied", CASE WHEN t.status = 'queued' THEN (
         SELECT count(*)::int FROM chat_turns o WHERE o.session_id = t.session_id AND o.handler <> '' AND o.id <> t.id
           AND (o.status IN ('running', 'waiting_input') OR o.status = 'queued' AND o.seq < t.seq)) ELSE 0 END AS ahead
       FROM chat_turns t WHERE t.id = $1`,
      [turnId],
    );
    if (state?.status === 'queued') return state.ahead > 0;
    return state?.status !== 'running' && !(state?.status === 'waiting_input' && state.isReplied);
  }
}

function isSettled({ status, pending, queuePosition }: TurnView): boolean {
  if (status === 'queued') return queuePosition !== null && queuePosition > 0;
  return status !== 'running' && (status !== 'waiting_input' || pending !== null);
}
