import { fork } from 'node:child_process';
import type { TabularContents } from '@app/tabular';
import { ExtractionError } from '../pipeline/extraction-error.js';
import { LimitWatch } from '../pipeline/limit-watch.js';
import { outOfMemory } from '../pipeline/out-of-memory.js';
import { toWatchLimits, type ImportLimits } from './import-limits.js';
import type { ImportAnswer, ImportRequest } from './import-messages.js';

const STDERR_KEPT = 4000;
const HEAP_EXHAUSTED = /heap out of memory|Array buffer allocation failed|Invalid string length/i;

/**
 * Imports one file in a process of its own, which holds no secret (an empty environment), writes only to its work
 * folder and is killed when it breaks a limit.
 * @throws ExtractionError; `signal.reason` when aborted
 */
export async function importInProcess(
  entry: string,
  request: ImportRequest,
  limits: ImportLimits,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (status: string) => void },
): Promise<TabularContents> {
  signal.throwIfAborted();
  const child = fork(entry, [], {
    env: {},
    execArgv: [
      `--max-old-space-size=${limits.heapMb}`,
      '--permission',
      '--allow-fs-read=*',
      `--allow-fs-write=${request.workFolder}/*`,
      // DuckDB's own code stands outside of Node's permissions; its settings confine it (see TableBuilder).
      '--allow-addons',
      // The thread that computes formulas; it has the same permissions.
      '--allow-worker',
      '--no-warnings',
    ],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const watch = new LimitWatch(child.pid, toWatchLimits(limits));
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-STDERR_KEPT)));
  const settled = new AbortController();
  try {
    return await new Promise<TabularContents>((resolve, reject) => {
      const onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { signal: settled.signal });
      watch.onBroken = reject;
      child.on('message', (answer: ImportAnswer) => {
        if (answer.type === 'progress') onProgress(answer.status);
        else if (answer.type === 'done') resolve(answer.contents);
        else reject(new ExtractionError(answer.code, answer.message, { cause: answer.detail }));
      });
      child.once('error', reject);
      child.once('exit', (code, name) => {
        const detail = `signal ${name}, code ${code}: ${stderr.trim()}`;
        reject(HEAP_EXHAUSTED.test(stderr) ? outOfMemory(detail) : crashed(detail));
      });
      // A child that could not start is reported by its 'exit', with what it said.
      child.send(request, () => undefined);
    });
  } finally {
    settled.abort();
    watch.stop();
    child.kill('SIGKILL');
  }
}

function crashed(detail: string): ExtractionError {
  return new ExtractionError('crashed', 'The file could not be imported: the import stopped unexpectedly.', {
    cause: detail,
  });
}
