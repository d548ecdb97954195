import { ensureBuilt, isBuilt } from './build.mjs';
import { ensureInstalled, isInstalled } from './install.mjs';
import { lockWhenFree } from './lock.mjs';
import { say, UserError } from './log.mjs';
import { inRoot, ROOT } from './paths.mjs';

/** One set-up at a time in this folder: two first runs at once would write node_modules over each other. */
async function alone(work) {
  const lock = await lockWhenFree(inRoot('.setup.lock'), (holder) =>
    say(`- Another set-up is at work in this folder (process ${holder.pid}); waiting for it ...`),
  ).catch((error) => {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    throw new UserError(
      `${ROOT} is still to be installed or built, and this user may not write there. Let its owner set it up, for example with: npm run admin -- --help`,
    );
  });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

// Whoever runs what another user installed needs no right to write there.
export const install = async () => isInstalled() || alone(ensureInstalled);
export const build = async () => isBuilt() || alone(ensureBuilt);
