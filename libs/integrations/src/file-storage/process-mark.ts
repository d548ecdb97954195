import { createHash } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** Field 22 of /proc/<pid>/stat, counted behind the name, which may hold anything. */
const START_TIME = 19;

/** Which process this is, told apart from one that later gets its number: `<place>.<pid>.<start>`; null without /proc. */
export async function ownProcessMark(): Promise<string | null> {
  const [place, start] = await Promise.all([placeOf(), startTimeOf(process.pid)]);
  return place === null || start === null ? null : `${place}.${process.pid}.${start}`;
}

/** The mark between two `_` of a name. */
export const markIn = (name: string): string | null => /_([0-9a-f]{12}\.\d+\.\d+)_/.exec(name)?.[1] ?? null;

/** Whether the process of a mark is known to have ended. One of another machine or container is not known here. */
export async function hasEnded(mark: string): Promise<boolean> {
  const [place, pid, start] = mark.split('.');
  if (place === undefined || place !== (await placeOf())) return false;
  return (await startTimeOf(Number(pid))) !== start;
}

/** Numbers of processes mean something on one running system alone, and there in one namespace. */
async function placeOf(): Promise<string | null> {
  try {
    const [boot, namespace] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readlink('/proc/self/ns/pid'),
    ]);
    return createHash('sha256').update(`${hostname()}\n${boot}\n${namespace}`).digest('hex').slice(0, 12);
  } catch {
    // No Linux: then links are removed by their age.
    return null;
  }
}

/** In clock ticks since the machine started; null for a process that is not there, or only waits to be buried. */
async function startTimeOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || state === '' || state === 'Z' || state === 'X') return null;
  return fields[START_TIME - 1] ?? null;
}
