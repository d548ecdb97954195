/**
 * What is at work in a process of the kinds that may take it down (`WorkRules.aloneAfterLoss`). One piece is begun at a
 * time, so that one that has to be alone keeps others from being begun until it has ended.
 */
export class Neighbours {
  private readonly atWork = new Set<Promise<unknown>>();
  private last: Promise<unknown> = Promise.resolve();

  /** @param begin resolves once the next piece may be begun */
  inTurn<T>(begin: () => Promise<T>): Promise<T> {
    const next = this.last.then(begin, begin);
    this.last = next.catch(() => undefined);
    return next;
  }

  /** The work is a neighbour of others until it ends. */
  add<T>(work: Promise<T>): Promise<T> {
    const ended = work.catch(() => undefined).finally(() => this.atWork.delete(ended));
    this.atWork.add(ended);
    return work;
  }

  /** Resolves when all that are at work now have ended, or with the signal. */
  async leave(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.race([Promise.all(this.atWork), stopped.promise]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
