import fs from 'node:fs';
import os from 'node:os';

/** Where Linux keeps files in memory. */
const SHARED_MEMORY = '/dev/shm';
const TMPFS = 0x0102_1994;
/** A run of the tests keeps some hundred MiB there at a time; the rest is what it and its apps take themselves. */
const NEEDED_BYTES = 6 * 1024 ** 3;

/**
 * A folder whose files lie in memory, or null where there is none, or too little of it. A test database is a thousand
 * files: on a disk it takes ten times as long to make.
 */
export function memoryFolder() {
  if (!fs.existsSync(SHARED_MEMORY)) return null;
  const { type, bavail, bsize } = fs.statfsSync(SHARED_MEMORY);
  const isRoomy = Math.min(bavail * bsize, process.availableMemory?.() ?? os.freemem()) >= NEEDED_BYTES;
  return type === TMPFS && isRoomy ? SHARED_MEMORY : null;
}

/** Where throw-away folders of ours may lie, the disk first. */
export const temporaryFolders = () => [os.tmpdir(), SHARED_MEMORY].filter((folder) => fs.existsSync(folder));
