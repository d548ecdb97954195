import { setTimeout as sleep } from 'node:timers/promises';
import { stopwatch } from './timing.js';

/**
 * Waits until the condition holds.
 * @throws when the machine had `timeoutMs` for it (`stopwatch`: where it stalls, that is later), quoting the condition
 */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const waited = stopwatch();
  while (!(await condition())) {
    if (waited() > timeoutMs) throw new Error(`Not so after ${timeoutMs} ms: ${condition.toString()}`);
    await sleep(20);
  }
}
