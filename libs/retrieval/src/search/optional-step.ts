import { Logger } from '@nestjs/common';

/**
 * A step that makes a search better and that it can do without: an outside service that has so long to answer, and is
 * left alone for a while when it does not, so that a service that hangs does not slow every search down.
 */
export class OptionalStep {
  private readonly logger = new Logger('Retriever');
  private restsUntil = 0;

  /** @param name as in "searching without <name>" */
  constructor(
    private readonly name: string,
    private readonly options: { timeoutMs: number; restMs: number },
  ) {}

  /** @returns null when the service did not answer, or rests. @throws the reason of `signal`, nothing else */
  async run<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T | null> {
    if (performance.now() < this.restsUntil) return null;
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    const either = signal ? AbortSignal.any([timeout, signal]) : timeout;
    try {
      return await Promise.race([work(either), aborted(either)]);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      this.restsUntil = performance.now() + this.options.restMs;
      const reason = error instanceof Error ? error.message : String(error);
      this.logger.warn(`Searching without ${this.name} for ${this.options.restMs / 1000} s: ${reason}`);
      return null;
    }
  }
}

/** Rejects with the reason of the signal: a service's client may not listen to it. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, fail) => {
    if (signal.aborted) fail(signal.reason as Error);
    else signal.addEventListener('abort', () => fail(signal.reason as Error), { once: true });
  });
}
