import { Worker } from 'node:worker_threads';

const BEAT_MS = 1000;

/**
 * In a thread of its own. It counts its own turns, not the clock: a machine that slept, or a process that was stopped as
 * a whole, is no hung one.
 */
const PROGRAM = `
const { workerData: { beats, turnMs, mostTurns, name } } = require('node:worker_threads');
const cell = new Int32Array(beats);
const never = new Int32Array(new SharedArrayBuffer(4));
let last = 0;
let turns = 0;
for (;;) {
  Atomics.wait(never, 0, 0, turnMs);
  const now = Atomics.load(cell, 0);
  if (now < 0) break;
  turns = now === last ? turns + 1 : 0;
  last = now;
  if (turns < mostTurns) continue;
  const seconds = Math.round(turns * turnMs / 1000);
  require('node:fs').writeSync(2, JSON.stringify({ level: 'fatal', app: name, msg: name + ' has not come round for ' + seconds + ' s and is ended, to be started again.' }) + '\\n');
  process.kill(process.pid, 'SIGKILL');
}
`;

/**
 * Ends this process when its event loop has stood still for so long: nothing else would, since it neither fails nor
 * answers. Whoever runs it (Docker's restart, `npm start`) starts it again. A busy process whose loop goes round, however
 * slowly, is left alone.
 * @param seconds 0 for none
 * @returns what ends the watch
 */
export function watchEventLoop(name: string, seconds: number): () => void {
  if (seconds <= 0) return () => undefined;
  const beats = new SharedArrayBuffer(4);
  const cell = new Int32Array(beats);
  const turnMs = Math.min(BEAT_MS, (seconds * 1000) / 4);
  const timer = setInterval(() => Atomics.add(cell, 0, 1), turnMs);
  timer.unref();
  const mostTurns = Math.ceil((seconds * 1000) / turnMs);
  const thread = new Worker(PROGRAM, {
    eval: true,
    workerData: { beats, turnMs, mostTurns, name },
    execArgv: [],
    env: {},
  });
  thread.unref();
  return () => {
    clearInterval(timer);
    Atomics.store(cell, 0, -1);
  };
}
