import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
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
 * Runs one request in a process of its own and ends the process whatever happens. It has an empty environment, may
 * write no files and start no programs, and cannot get more address space than the limits grant.
 * @param deadlineMs by `performance.now()`
 * @throws QueryError; GatewayTimeoutError (`query_timeout`); the signal's reason
 */
export async function runInProcess(
  entry: string,
  request: QueryRequest,
  limits: QueryLimits,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<QueryResult[]> {
  signal?.throwIfAborted();
  const child = start(entry, limits);
  const timers: NodeJS.Timeout[] = [];
  const settled = new AbortController();
  try {
    return await new Promise<QueryResult[]>((resolve, reject) => {
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-STDERR_KEPT)));
      child.once('message', (reply: QueryReply) => {
        if (reply.type === 'results') resolve(reply.results);
        else reject(toQueryError(reply));
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
    // What it still says is of no interest; without a listener an error would be thrown.
    child.removeAllListeners('exit').on('error', () => undefined);
    child.kill('SIGKILL');
  }
}

export function tooSlow(): GatewayTimeoutError {
  return new GatewayTimeoutError('The query took too long.', { code: 'query_timeout' });
}

function start(entry: string, limits: QueryLimits): ChildProcess {
  const kilobytes = String(Math.floor(limits.addressSpaceBytes / 1024));
  const node = [process.execPath, '--max-old-space-size=256', '--permission', '--allow-fs-read=*', '--allow-addons'];
  // The shell lowers the limit for itself and then becomes the process; where it cannot, memory is only watched.
  const script = 'ulimit -v "$0" 2>/dev/null; exec "$@"';
  return spawn('/bin/sh', ['-c', script, kilobytes, ...node, '--no-warnings', entry], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
}

function toQueryError({ type, message }: Exclude<QueryReply, { type: 'results' }>): QueryError {
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
