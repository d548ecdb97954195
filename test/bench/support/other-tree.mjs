// An earlier commit beside this tree, to compare the two on one machine in one run.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const THIS_TREE = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Clones, installs and builds a commit of this repository; kept in the folder for temporary files, so that the next run
 * finds it there.
 * @param {string} commit whatever git takes for one
 * @returns {Promise<string>} its root
 */
export async function builtTree(commit) {
  const { stdout } = await run('git', ['rev-parse', `${commit}^{commit}`], { cwd: THIS_TREE });
  const root = join(tmpdir(), `atrium-${stdout.trim().slice(0, 12)}`);
  if (!existsSync(root)) {
    await run('git', ['clone', '--quiet', '--no-checkout', THIS_TREE, root]);
    await run('git', ['checkout', '--quiet', stdout.trim()], { cwd: root });
  }
  // Sets up first, then runs a script that does nothing.
  await run('node', ['scripts/bootstrap.mjs', 'run', '--eval=0'], { cwd: root, maxBuffer: 2 ** 26 });
  return root;
}
