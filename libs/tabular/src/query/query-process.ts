import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { GatewayTimeoutError } from '@app/common';
import { QueryError } from './query-error.js';
import type { QueryLimits } from './query-limits.js';
import type { QueryReply, QueryRequest, QueryResult } from './query-messages.js';

const LOOK_MS = 50;
const PAGE_BYTES = 4096;
const STDERR_KEPT = 2000;
const OUT_OF_MEMORY = /out of memory|bad_alloc|cannot allocate|allocation failed|failed to allocate/i;
const TOO_LARGE = 'The query needs more memory than it may have. Ask for less at a time.';

/**
 * Runs one request in a process that has run none, and ends the process whatever happens.
 * @param deadlineMs by `performance.now()`
 * @throws QueryError; GatewayTimeoutError (`query_timeout`); the signal's reason
 */
export async function runInProcess(
  child: ChildProcess,
  request: QueryRequest,
  limits: QueryLimits,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<QueryResult[]> {
  hold(child, true);
  const timers: NodeJS.Timeout[] = [];
  const settled = new AbortController();
  try {
    return await new Promise<QueryResult[]>((resolve, reject) => {
      signal?.throwIfAborted();
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-STDERR_KEPT)));
      child.once('message', (reply: QueryReply) => {
        if (reply.type === 'results') resolve(reply.results);
        else reject(toError(reply));
      });
      child.once('error', reject);
      child.once('exit', () => reject(afterDeath(stderr)));
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true, signal: settled.signal });
      const look = async () => {
        if ((await residentBytes(child.pid)) > limits.rssBytes) reject(new QueryError('query_too_large', TOO_LARGE));
      };
      timers.push(setTimeout(() => reject(tooSlow()), Math.max(0, deadlineMs - performance.now())));
      timers.push(setInterval(() => void look(), LOOK_MS));
      child.send(request, (error) => error && reject(afterDeath(error.message)));
    });
  } finally {
    for (const timer of timers) clearInterval(timer);
    settled.abort();
    child.kill('SIGKILL');
  }
}

export function tooSlow(): GatewayTimeoutError {
  return new GatewayTimeoutError('The query took too long.', { code: 'query_timeout' });
}

/** Whether the process can take a request. */
export function isWaiting(child: ChildProcess): boolean {
  return child.connected && !child.killed && child.exitCode === null && child.signalCode === null;
}

/**
 * A process that waits for a request, and until then does not keep this one from ending. It has an empty environment,
 * may write no files and start no programs, and cannot get more address space than the limits grant.
 */
export function startQueryProcess(entry: string, limits: QueryLimits): ChildProcess {
  const kilobytes = String(Math.floor(limits.addressSpaceBytes / 1024));
  const node = [process.execPath, '--max-old-space-size=256', '--permission', '--allow-fs-read=*', '--allow-addons'];
  // The shell lowers the limit for itself and then becomes the process; where it cannot, memory is only watched.
  const script = 'ulimit -v "$0" 2>/dev/null; exec "$@"';
  const child = spawn('/bin/sh', ['-c', script, kilobytes, ...node, '--no-warnings', entry], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  // Until a run listens: one that could not be started is found not to wait.
  child.on('error', () => child.kill('SIGKILL'));
  hold(child, false);
  return child;
}

/** Whether the process keeps this one from ending. */
function hold(child: ChildProcess, held: boolean): void {
  const change = held ? 'ref' : 'unref';
  child[change]();
  child.channel?.[change]();
  (child.stderr as Socket | null)?.[change]();
}

function toError({ type, message }: Exclude<QueryReply, { type: 'results' }>): Error {
  if (type === 'unopened') return new Error(`The files of tables could not be opened: ${message}`);
  if (type === 'refused') return new QueryError('query_refused', message);
  return OUT_OF_MEMORY.test(message)
    ? new QueryError('query_too_large', TOO_LARGE)
    : new QueryError('query_failed', message);
}

function afterDeath(stderr: string): QueryError {
  if (OUT_OF_MEMORY.test(stderr)) return new QueryError('query_too_large', TOO_LARGE);
  return new QueryError('query_failed', 'The query ended unexpectedly.');
}

async function residentBytes(pid: number | undefined): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES;
}
