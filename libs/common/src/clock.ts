/** The time of day, as a port, so that tests can move it. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract now(): number;

  date(): Date {
    return new Date(this.now());
  }
}

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}
