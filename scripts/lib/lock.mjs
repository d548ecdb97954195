import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, stillRuns } from './processes.mjs';
import { launchedByNpm } from './stop-requests.mjs';

/** @typedef {{ pid: number, identity: string | null, launcher: { pid: number, identity: string | null } | null }} Holder */

/** @returns {Holder | null} */
export function readHolder(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

const reference = (pid) => ({ pid, identity: identityOf(pid) });

const freshlyCreated = (file) => {
  try {
    return Date.now() - fs.statSync(file).mtimeMs < 2000;
  } catch {
    return false;
  }
};

/** Moves a dead holder's file away; when another process was quicker, its fresh file is put back. */
function discardStale(file, seen) {
  const aside = `${file}.${process.pid}.stale`;
  try {
    fs.renameSync(file, aside);
    const moved = readHolder(aside);
    if (moved && moved.pid !== seen?.pid && stillRuns(moved)) fs.linkSync(aside, file);
    fs.unlinkSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
}

/**
 * Takes an exclusive lock file, which counts only while its holder runs: after kill -9 the next one takes it over.
 * @param {string} file
 * @returns {{ release(): void } | { holder: Holder }}
 */
export function tryLock(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const mine = JSON.stringify({
    ...reference(process.pid),
    launcher: launchedByNpm() ? reference(process.ppid) : null,
  });
  for (;;) {
    try {
      fs.writeFileSync(file, mine, { flag: 'wx', mode: 0o600 });
      return { release: () => fs.rmSync(file, { force: true }) };
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = readHolder(file);
    if (holder && stillRuns(holder)) return { holder };
    // Created a moment ago and not yet written: its writer is at work.
    if (!holder && freshlyCreated(file)) return { holder: { pid: 0, identity: null, launcher: null } };
    discardStale(file, holder);
  }
}

/**
 * Takes the lock as soon as it is free.
 * @param {string} file
 * @param {(holder: Holder) => void} onWait called once when somebody else holds it
 */
export async function lockWhenFree(file, onWait) {
  let told = false;
  for (;;) {
    const attempt = tryLock(file);
    if ('release' in attempt) return attempt;
    if (!told) onWait(attempt.holder);
    told = true;
    await sleep(200);
  }
}
