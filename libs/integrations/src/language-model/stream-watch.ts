import type { ModelTimeouts } from '@app/config';
import { timeoutFault } from './endpoint-fault.js';

/** Ends a call that takes too long: to begin, between two pieces, or in all. Only waiting for the endpoint counts. */
export class StreamWatch {
  readonly signal: AbortSignal;
  private readonly controller = new AbortController();
  private readonly since = performance.now();
  private inAll: NodeJS.Timeout;
  private silence: NodeJS.Timeout | undefined;
  private isWaiting = false;
  private hasBegun = false;

  /** @param others end the call, too, each with its own reason */
  constructor(
    private readonly timeouts: ModelTimeouts,
    ...others: (AbortSignal | undefined)[]
  ) {
    const signals = others.filter((one) => one !== undefined);
    this.signal = AbortSignal.any([this.controller.signal, ...signals]);
    const { totalSeconds, firstTokenSeconds } = timeouts;
    this.inAll = this.endsAfter(totalSeconds);
    this.silence = setTimeout(
      () => this.controller.abort(timeoutFault('beginning of an answer', firstTokenSeconds)),
      firstTokenSeconds * 1000,
    );
  }

  /** Before each read. */
  waits(): void {
    this.isWaiting = true;
    if (this.hasBegun) this.silence?.refresh();
  }

  /** After each read. @param isOutput whether it was a piece of the answer */
  got(isOutput: boolean): void {
    this.isWaiting = false;
    if (!isOutput || this.hasBegun) return;
    this.hasBegun = true;
    clearTimeout(this.silence);
    const { silenceSeconds, answerSeconds } = this.timeouts;
    // What flows may take longer than what nobody hears of: slow models are read while they write.
    clearTimeout(this.inAll);
    this.inAll = this.endsAfter(answerSeconds);
    this.silence = setTimeout(() => {
      // A reader that takes its time is not the endpoint's silence.
      if (this.isWaiting) this.controller.abort(timeoutFault('further piece of its answer', silenceSeconds));
    }, silenceSeconds * 1000);
  }

  private endsAfter(seconds: number): NodeJS.Timeout {
    return setTimeout(
      () => this.controller.abort(timeoutFault('end of its answer', seconds)),
      this.since + seconds * 1000 - performance.now(),
    );
  }

  end(): void {
    clearTimeout(this.inAll);
    clearTimeout(this.silence);
  }
}
