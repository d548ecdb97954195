import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const TICK_MS = 50;
/** Where Linux tells how long tasks waited for a processor or a disk (pressure stall information). */
const PRESSURES = ['/proc/pressure/cpu', '/proc/pressure/io'];

/** Milliseconds so far in which some task of this machine had to wait; 0 where the system does not tell. */
function waitedMs(): number {
  return PRESSURES.reduce((sum, file) => sum + pressureOf(file), 0);
}

function pressureOf(file: string): number {
  try {
    return Number(/^some .*total=(\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) / 1000;
  } catch {
    // Not Linux, or a kernel without it.
    return 0;
  }
}

/** @returns processor milliseconds of this process since the call: the time of what it computes itself, on any machine. */
export function cpuStopwatch(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

let isWatching = false;
/** Milliseconds in which this process was not let run, since the first stopwatch. */
let stalledMs = 0;

function watchStalls(): void {
  if (isWatching) return;
  isWatching = true;
  let lastTick = performance.now();
  let cpu = cpuStopwatch();
  setInterval(() => {
    const late = performance.now() - lastTick - TICK_MS;
    // Late by its own work is no stall.
    stalledMs += Math.max(0, late - cpu());
    lastTick = performance.now();
    cpu = cpuStopwatch();
  }, TICK_MS).unref();
}

/**
 * For limits on what other processes or connections do. Test machines are shared, and stall: what counts is the time
 * that the machine had for the work.
 * Never for least times: of a busy machine nothing may be left.
 * @returns milliseconds since the call, without those in which tasks waited for a processor or a disk, or in which this
 *   process was not let run
 */
export function stopwatch(): () => number {
  watchStalls();
  const started = performance.now();
  const lostBefore = waitedMs() + stalledMs;
  return () => Math.max(0, performance.now() - started - (waitedMs() + stalledMs - lostBefore));
}

/** How much longer than asked for `grant` waits at most. */
const PATIENCE = 20;

/** Sleeps until the machine had so many milliseconds for what is under way, and never for less. */
export async function grant(ms: number): Promise<void> {
  const granted = stopwatch();
  const started = performance.now();
  do await sleep(Math.max(5, ms - granted()));
  while (granted() < ms && performance.now() - started < PATIENCE * ms);
}
