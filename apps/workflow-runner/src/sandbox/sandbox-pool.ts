import { availableParallelism } from 'node:os';
import { type SandboxPort, ToolError, type Viewer } from '@app/workflows';
import { Piscina } from 'piscina';
import { FairQueue } from './fair-queue.js';

type Task = Parameters<SandboxPort['run']>[1];
type Answer = Awaited<ReturnType<SandboxPort['run']>>;

export interface SandboxOptions {
  /** The compiled file that a thread runs. */
  entry: string;
  /** Default: one per core, two to eight. */
  threads?: number;
}

interface Job {
  task: Task;
  limitMs: number;
  signal: AbortSignal;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Work has limits of its own inside the thread and ends by itself; this much later the thread is killed. */
const GRACE_MS = 1_500;
const MAX_WAITING = 5_000;
const IDLE_MS = 60_000;
const HEAP_MB = 256;
/** What deep recursion in the sandbox takes of the thread around it. */
const STACK_MB = 16;

/**
 * Threads for untrusted work (code, expressions, patterns, markup). They hold no secret and see an empty environment.
 * A thread that outstays its limit, or whose run was stopped, is killed. One person's work leaves a thread to others.
 */
export class SandboxPool implements SandboxPort {
  private readonly pool: Piscina<Task, Answer>;
  private readonly queue: FairQueue<Job>;

  constructor({ entry, threads = Math.min(8, Math.max(2, availableParallelism())) }: SandboxOptions) {
    this.queue = new FairQueue({ atOnce: threads, atOncePerOwner: Math.max(1, threads - 1) }, (job) => this.work(job));
    this.pool = new Piscina({
      filename: entry,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: STACK_MB },
    });
  }

  run(viewer: Viewer, task: Task, { signal, limitMs }: { signal: AbortSignal; limitMs: number }): Promise<Answer> {
    if (signal.aborted) return Promise.reject(stopped());
    if (this.queue.waiting >= MAX_WAITING) {
      return Promise.reject(new ToolError('sandbox_busy', 'Too much work waits for the sandbox.'));
    }
    return new Promise((resolve, reject) => {
      const job: Job = { task, limitMs, signal, resolve, reject };
      const leave = (): void => {
        if (this.queue.remove(viewer.userId, job)) reject(stopped());
      };
      signal.addEventListener('abort', leave, { once: true });
      this.queue.push(viewer.userId, job);
    });
  }

  /** Kills what is at work. */
  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async work({ task, limitMs, signal, resolve, reject }: Job): Promise<void> {
    const late = AbortSignal.timeout(limitMs + GRACE_MS);
    try {
      resolve(await this.pool.run(task, { signal: AbortSignal.any([signal, late]) }));
    } catch (error) {
      reject(toToolError(error, signal.aborted, late.aborted ? limitMs : null));
    }
  }
}

function toToolError(error: unknown, isStopped: boolean, limitMs: number | null): unknown {
  if (isStopped) return stopped();
  if (limitMs !== null) {
    return new ToolError('time_limit', `The work took longer than ${limitMs / 1_000} seconds.`);
  }
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new ToolError('memory_limit', 'The work needs too much memory.');
  }
  if (name === 'DataCloneError') return new ToolError('invalid_params', 'Only JSON values can be worked on.', false);
  return error;
}

function stopped(): ToolError {
  return new ToolError('aborted', 'The node was stopped.', false);
}
