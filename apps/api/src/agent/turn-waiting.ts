import { TurnFeed, Turns, type TurnView } from '@app/agents';
import { GatewayTimeoutError } from '@app/common';
import { Injectable } from '@nestjs/common';

/** Waits for turns that are at work anywhere. */
@Injectable()
export class TurnWaiting {
  constructor(
    private readonly turns: Turns,
    private readonly feed: TurnFeed,
  ) {}

  /**
   * Waits until the turn has ended, asks something, or has to wait for others.
   * @param gone aborts when nobody waits any longer; the turn goes on.
   * @throws GatewayTimeoutError `turn_continues` when the time is over, and when nobody waits; NotFoundError when it was deleted
   */
  async outcome(userId: number, turnId: string, seconds: number, gone: AbortSignal): Promise<TurnView> {
    const signal = AbortSignal.any([gone, AbortSignal.timeout(seconds * 1000)]);
    for (let after = 0; ;) {
      const view = await this.turns.get(userId, turnId);
      if (isSettled(view)) return view;
      if (signal.aborted)
        throw new GatewayTimeoutError('The turn continues: its answer arrives on the socket.', {
          code: 'turn_continues',
          extra: { turn_id: turnId, chat_session_id: view.sessionId },
        });
      after = await this.change(turnId, after, signal);
    }
  }

  /** Until something is told that may settle the turn. @returns the place of that in its log. */
  private async change(turnId: string, after: number, signal: AbortSignal): Promise<number> {
    let place = after;
    for await (const event of this.feed.follow(turnId, { after, signal })) {
      if (event === null) continue;
      place = event.seq;
      if (event.type === 'question' || event.type === 'end') return place;
      if (event.type === 'queued' && event.data.position > 0) return place;
    }
    return place;
  }
}

function isSettled({ status, pending, queuePosition }: TurnView): boolean {
  if (status === 'queued') return queuePosition !== null && queuePosition > 0;
  return status !== 'running' && (status !== 'waiting_input' || pending !== null);
}
