import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from './lock.mjs';
import { say, UserError } from './log.mjs';
import { endProcess, stillRuns } from './processes.mjs';

const DRAIN_WITHIN_MS = 30_000;

/**
 * Claims the data folder for this supervisor.
 * @param {import('./data-folder.mjs').DataFolder} data
 * @returns {Promise<{ release(): void }>}
 * @throws UserError when another one uses it
 */
export async function claimInstance(data) {
  const deadline = Date.now() + DRAIN_WITHIN_MS;
  for (let told = false; ; told = true) {
    const attempt = tryLock(data.lockFile);
    if ('release' in attempt) return attempt;
    const { holder } = attempt;
    // Its npm was killed: it is about to stop by itself.
    const isStopping = holder.launcher && !stillRuns(holder.launcher);
    if (!isStopping)
      throw new UserError(
        `Atrium already runs in this folder (process ${holder.pid}, data in ${data.root}). Stop it with Ctrl-C where it runs, ` +
          'or start another one with DATA_DIR and API_PORT of its own.',
      );
    if (!told) say('- The last run is still stopping; waiting for it ...');
    if (Date.now() > deadline) await endProcess(holder.pid, { timeoutMs: 1000 });
    await sleep(100);
  }
}
