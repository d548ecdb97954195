/** What `setTimeout` can wait for. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Wakes one sleeper. Set while nobody sleeps, it is remembered, and the next one does not sleep. */
export class AutoResetEvent {
  private isSet = false;
  private wake: (() => void) | null = null;

  set(): void {
    if (this.wake) this.wake();
    else this.isSet = true;
  }

  /** Until it is set, the time is over or the signal aborts. @param milliseconds may be infinite */
  wait(milliseconds = Infinity, signal?: AbortSignal): Promise<void> {
    if (this.isSet || signal?.aborted) {
      this.isSet = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.wake = null;
        resolve();
      };
      const timer =
        milliseconds === Infinity ? undefined : setTimeout(wake, Math.min(Math.max(0, milliseconds), MAX_TIMEOUT_MS));
      signal?.addEventListener('abort', wake, { once: true });
      this.wake = wake;
    });
  }
}
