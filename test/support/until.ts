import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds. @throws after `timeoutMs`, quoting the condition. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not so after ${timeoutMs} ms: ${condition.toString()}`);
    await sleep(20);
  }
}
