import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from './log.mjs';

const idOf = (user, flag) => Number(execFileSync('id', [flag, user], { stdio: ['ignore', 'pipe', 'ignore'] }));

/**
 * Postgres refuses to run as root: the user that it runs as instead, or null when we are no root ourselves.
 * @returns {{ uid: number, gid: number } | null}
 */
export function findUnprivilegedUser() {
  if (process.getuid?.() !== 0) return null;
  for (const user of ['postgres', 'nobody', 'daemon'])
    try {
      const found = { uid: idOf(user, '-u'), gid: idOf(user, '-g') };
      if (found.uid > 0) return found;
    } catch {
      continue;
    }
  throw new UserError(
    'Postgres does not run as root, and there is no user postgres, nobody or daemon to run it as. Run Atrium as an ordinary user, or set DATABASE_URL.',
  );
}

/** Whether everybody may enter this folder and every one above it. */
export function isOpenToOthers(folder) {
  for (let current = path.resolve(folder); ; current = path.dirname(current)) {
    if (!(fs.statSync(current).mode & 0o001)) return false;
    if (current === path.dirname(current)) return true;
  }
}

/** @param {{ uid: number, gid: number } | null} user */
export function giveTo(user, ...files) {
  if (user) for (const file of files) fs.chownSync(file, user.uid, user.gid);
}
