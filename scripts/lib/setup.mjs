import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { lockWhenFree } from './lock.mjs';
import { say } from './log.mjs';
import { inRoot } from './paths.mjs';

/** One set-up at a time in this folder: two first runs at once would write node_modules over each other. */
async function alone(work) {
  const lock = await lockWhenFree(inRoot('.setup.lock'), (holder) =>
    say(`- Another set-up is at work in this folder (process ${holder.pid}); waiting for it ...`),
  );
  try {
    return await work();
  } finally {
    lock.release();
  }
}

export const install = () => alone(ensureInstalled);
export const build = () => alone(ensureBuilt);
