/** Longer waits are looked at again in between. */
const MAX_WAIT_MS = 60_000;

/** What wakes a run that has nothing to do at the moment. */
export class RunAlarm {
  private wakeUp: (() => void) | null = null;
  /** Something happened while nobody was waiting. */
  private hasRung = false;

  ring(): void {
    if (this.wakeUp) this.wakeUp();
    else this.hasRung = true;
  }

  /** Until it rings, or the time is over; at once if it rang since the last wait. @param milliseconds may be infinite */
  wait(milliseconds: number): Promise<void> {
    if (this.hasRung) {
      this.hasRung = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const timer = Number.isFinite(milliseconds)
        ? setTimeout(() => this.ring(), Math.min(Math.max(0, milliseconds), MAX_WAIT_MS))
        : null;
      this.wakeUp = () => {
        if (timer) clearTimeout(timer);
        this.wakeUp = null;
        resolve();
      };
    });
  }
}
