import { Clock } from '@app/common';

/** A clock that goes when the test says so. */
export class SteppedClock extends Clock {
  constructor(private time: number) {
    super();
  }

  now(): number {
    return this.time;
  }

  advance(milliseconds: number): void {
    this.time += milliseconds;
  }

  set(time: number): void {
    this.time = time;
  }
}
