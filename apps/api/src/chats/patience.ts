import { GatewayTimeoutError } from '@app/common';
import type { Response } from 'express';

/** How long a call waits that was told nothing yet: without an end, one that no worker takes would wait for ever. */
export class Patience {
  /** Also aborts when the client has gone. */
  readonly signal: AbortSignal;
  private readonly over = new AbortController();
  private readonly timer: NodeJS.Timeout;

  /** @param gone aborts when the client has gone */
  constructor(
    seconds: number,
    gone: AbortSignal,
    private readonly response: Response,
  ) {
    this.signal = AbortSignal.any([gone, this.over.signal]);
    this.timer = setTimeout(() => this.response.headersSent || this.over.abort(), seconds * 1000);
    this.timer.unref();
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
  }
}
