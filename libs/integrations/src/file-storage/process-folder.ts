import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasEnded, markIn, ownProcessMark } from './process-mark.js';

/**
 * Makes a folder for this process among the temporary ones of the machine. Those that killed processes left under the
 * same name go, with what lies in them.
 */
export async function makeProcessFolder(name: string, base = tmpdir()): Promise<string> {
  for (const found of await readdir(base)) {
    const mark = found.startsWith(`${name}-`) ? markIn(found) : null;
    if (mark === null || !(await hasEnded(mark))) continue;
    // It may be somebody else's, or another process may be at it.
    await rm(join(base, found), { recursive: true, force: true }).catch(() => undefined);
  }
  const mark = await ownProcessMark();
  return mkdtemp(join(base, mark === null ? `${name}-` : `${name}-_${mark}_`));
}
