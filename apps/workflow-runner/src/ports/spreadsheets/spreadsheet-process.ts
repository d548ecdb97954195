import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { ToolError } from '@app/workflows';
import type { SpreadsheetReply, SpreadsheetRequest } from './spreadsheet-messages.js';

const MB = 1024 * 1024;
const HEAP_MB = 512;
const MAX_RESIDENT_BYTES = 768 * MB;
const LOOK_MS = 50;
const PAGE_BYTES = 4096;

const TOO_LARGE = new ToolError(
  'spreadsheet_too_large',
  'The spreadsheet needs more memory than may be used to read it.',
  false,
);

/**
 * One request in a process of its own, which holds no secret (an empty environment), may not write files or start
 * programs, and is killed when it breaks a limit.
 * @throws ToolError; the signal's reason
 */
export async function readInProcess(
  entry: string,
  request: SpreadsheetRequest,
  { signal, limitMs }: { signal: AbortSignal; limitMs: number },
): Promise<Exclude<SpreadsheetReply, { type: 'failed' }>> {
  signal.throwIfAborted();
  const child = fork(entry, [], {
    env: {},
    execArgv: [`--max-old-space-size=${HEAP_MB}`, '--permission', '--allow-fs-read=*', '--no-warnings'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const timers: NodeJS.Timeout[] = [];
  const settled = new AbortController();
  try {
    const reply = await new Promise<SpreadsheetReply>((resolve, reject) => {
      child.once('message', resolve);
      child.once('error', reject);
      // Out of heap it ends by itself.
      child.once('exit', () => reject(TOO_LARGE));
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: settled.signal });
      const tooSlow = new ToolError('spreadsheet_too_large', 'Reading the spreadsheet took too long.', false);
      timers.push(setTimeout(() => reject(tooSlow), limitMs));
      timers.push(setInterval(() => void rejectWhenLarge(child, reject), LOOK_MS));
      child.send(request, (error) => error && reject(TOO_LARGE));
    });
    if (reply.type === 'failed') throw new ToolError(reply.code, reply.message, false);
    return reply;
  } finally {
    for (const timer of timers) clearInterval(timer);
    settled.abort();
    child.kill('SIGKILL');
  }
}

async function rejectWhenLarge({ pid }: ChildProcess, reject: (error: ToolError) => void): Promise<void> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  if (Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES > MAX_RESIDENT_BYTES) reject(TOO_LARGE);
}
