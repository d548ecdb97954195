import { setTimeout as sleep } from 'node:timers/promises';

const MINUTE = 60_000;
const TRIES = 4;
const now = () => Math.floor(Date.now() / MINUTE);

/**
 * Runs what has to happen within one minute of the clock, the window of rate limits: once more, from the beginning of
 * the next minute on, when it fails and another minute began meanwhile.
 */
export async function inOneMinute(body: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const minute = now();
    try {
      return await body();
    } catch (error) {
      if (now() === minute || tries === TRIES) throw error;
      await sleep(MINUTE - (Date.now() % MINUTE) + 10);
    }
  }
}
