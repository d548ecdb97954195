import { GatewayTimeoutError } from '@app/common';
import type { Response } from 'express';

/** How long a call waits that was told nothing yet: without an end, one that no worker takes would wait for ever. */
export class AnswerDeadline {
  /** Also aborts when the client has gone. */
  readonly signal: AbortSignal;
  private readonly over = new AbortController();
  private readonly ended = new AbortController();
  private readonly timer: NodeJS.Timeout;

  /**
   * @param gone aborts when the client has gone
   * @param stopping aborts when this process ends: another one can be asked for the turn
   */
  constructor(
    seconds: number,
    private readonly response: Response,
    { gone, stopping }: { gone: AbortSignal; stopping: AbortSignal },
  ) {
    this.signal = AbortSignal.any([gone, this.over.signal]);
    const giveUp = () => this.response.headersSent || this.over.abort();
    this.timer = setTimeout(giveUp, seconds * 1000);
    this.timer.unref();
    if (stopping.aborted) giveUp();
    stopping.addEventListener('abort', giveUp, { signal: this.ended.signal });
  }

  get isOver(): boolean {
    return this.over.signal.aborted;
  }

  /** @throws GatewayTimeoutError `turn_continues`, when it is over: the turn goes on */
  check(turnId: string): void {
    if (!this.isOver) return;
    throw new GatewayTimeoutError('The turn continues: its answer arrives on the socket.', {
      code: 'turn_continues',
      extra: { turn_id: turnId },
    });
  }

  end(): void {
    clearTimeout(this.timer);
    this.ended.abort();
  }
}
