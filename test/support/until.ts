import { setTimeout as sleep } from 'node:timers/promises';
import { stopwatch } from './timing.js';

/** Ends what would go on for ever: later than any machine stalls, before Jest ends the test without a word. */
export const safetyNet = (): AbortSignal => AbortSignal.timeout(400_000);

/** Most conditions ask an app of this process: what is long in coming is asked for less often, and known a twentieth later. */
const pauseAfter = (waitedMs: number) => Math.min(100, Math.max(20, waitedMs / 20));

/**
 * Waits until the condition holds.
 * @throws when the machine had `timeoutMs` for it (`stopwatch`: where it stalls, that is later), quoting the condition
 */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const waited = stopwatch();
  const started = performance.now();
  while (!(await condition())) {
    if (waited() > timeoutMs) throw new Error(`Not so after ${timeoutMs} ms: ${condition.toString()}`);
    await sleep(pauseAfter(performance.now() - started));
  }
}
