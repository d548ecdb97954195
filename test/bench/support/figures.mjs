import { readdirSync, readFileSync } from 'node:fs';

export const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** `p50 3.1 ms, p95 7.0 ms, max 9.9 ms` */
export const spread = (values) =>
  `p50 ${quantile(values, 0.5).toFixed(1)} ms, p95 ${quantile(values, 0.95).toFixed(1)} ms, max ${quantile(values, 1).toFixed(1)} ms`;

/** Collects the bars of a run, prints each, and sets the exit code. */
export class Bars {
  #missed = [];

  check(name, value, holds) {
    console.log(`${holds ? 'met   ' : 'MISSED'}  ${name}: ${value}`);
    if (!holds) this.#missed.push(name);
  }

  finish() {
    process.exitCode = this.#missed.length === 0 ? 0 : 1;
    if (this.#missed.length > 0) console.log(`Missed: ${this.#missed.join('; ')}`);
  }
}

/** A generator of numbers from 0 to 1 that gives the same ones on every run. */
export function seededRandom(seed = 1) {
  let state = seed >>> 0;
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function processes() {
  const table = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, rest] = readFileSync(`/proc/${name}/stat`, 'utf8').split(/\) /);
      const parent = Number(rest.split(' ')[1]);
      const resident = Number(readFileSync(`/proc/${name}/statm`, 'utf8').split(' ')[1]) * 4096;
      table.push({ pid: Number(name), parent, resident });
    } catch (error) {
      // It ended while it was looked at.
      if (!['ENOENT', 'ESRCH'].includes(error.code)) throw error;
    }
  }
  return table;
}

/** Resident bytes of a process and all its descendants (Linux). */
export function residentTree(pid) {
  const table = processes();
  let total = 0;
  const add = (id) => {
    total += table.find((entry) => entry.pid === id)?.resident ?? 0;
    for (const child of table.filter((entry) => entry.parent === id)) add(child.pid);
  };
  add(pid);
  return total;
}

/** Processor seconds that a process has used so far (Linux). */
export function cpuSeconds(pid) {
  const [, rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) /);
  const fields = rest.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Looks at the memory of a process tree ten times a second. */
export function watchMemory(pid) {
  const watch = { peak: 0, last: 0, stop: () => clearInterval(timer) };
  const look = () => {
    watch.last = residentTree(pid);
    watch.peak = Math.max(watch.peak, watch.last);
  };
  look();
  const timer = setInterval(look, 100);
  return watch;
}

export const megabytes = (bytes) => `${Math.round(bytes / 1_048_576)} MB`;
