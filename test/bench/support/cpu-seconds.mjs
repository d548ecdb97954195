// CPU seconds of the processes of a deployment: unlike times, they say the same on a machine that others use too.
import { readFileSync, readdirSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Of one process, with its children that have ended. */
function ofProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      parent: Number(fields[1]),
      seconds: fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0) / TICKS_PER_SECOND,
    };
  } catch {
    return { parent: 0, seconds: 0 };
  }
}

/** @returns {number} of a process and all below it */
export function cpuSeconds(pid) {
  let sum = 0;
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const known = new Map(all.map((one) => [one, ofProcess(one)]));
  const isBelow = (one) => {
    for (let at = one; at > 1; at = known.get(at)?.parent ?? 0) if (at === pid) return true;
    return false;
  };
  for (const [one, { seconds }] of known) if (isBelow(one)) sum += seconds;
  return sum;
}

/** The process of the Postgres that a data source talks to. */
export async function postmasterOf(dataSource) {
  const [{ pid }] = await dataSource.query('SELECT pg_backend_pid() AS pid');
  return ofProcess(pid).parent;
}
