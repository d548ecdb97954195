import type { LiveBus } from '@app/live';

/** Wakes followers; call it after commit. Who misses it looks by itself a moment later. */
export function tellOfChange(live: LiveBus, extractionId: string, seq: number): void {
  live.publish(`extraction:${extractionId}`, { seq });
}
