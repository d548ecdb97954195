import { availableParallelism } from 'node:os';
import { type SandboxPort, ToolError, type Viewer } from '@app/workflow-definition';
import { FairQueue } from './fair-queue.js';
import { type AskedTask, type JobAnswer, type JobLimits, JobProcess, stopped } from './job-process.js';

export interface SandboxOptions {
  /** The compiled file that a process runs. */
  entry: string;
  /** Default: one per core, two to four. Each may take some 450 MB while it works. */
  processes?: number;
  /** For what they read and make; they see no more of it than belongs to their job. */
  folder: string;
}

interface Job extends JobLimits {
  task: AskedTask;
  resolve(answer: JobAnswer): void;
  reject(error: unknown): void;
}

const MAX_WAITING = 20_000;
const IDLE_MS = 60_000;

/**
 * Processes for untrusted work and for work whose cost grows with its data. One that breaks a limit of time or memory,
 * or whose run was stopped, is killed, and nothing else with it. One person's work leaves a process to others.
 */
export class SandboxPool implements SandboxPort {
  private readonly idle: { process: JobProcess; timer: NodeJS.Timeout }[] = [];
  private readonly busy = new Set<JobProcess>();
  private readonly queue: FairQueue<Job>;
  private readonly entry: string;
  /** Where its processes work. */
  readonly folder: string;
  private isClosed = false;

  constructor({ entry, processes = Math.min(4, Math.max(2, availableParallelism())), folder }: SandboxOptions) {
    this.entry = entry;
    this.folder = folder;
    const limits = { atOnce: processes, atOncePerOwner: Math.max(1, Math.floor(processes / 2)) };
    this.queue = new FairQueue(limits, (job) => this.work(job));
  }

  run({ userId, runId }: Viewer, task: AskedTask, { signal, limitMs }: JobLimits): Promise<JobAnswer> {
    if (signal.aborted) return Promise.reject(stopped());
    if (this.queue.waiting >= MAX_WAITING) {
      return Promise.reject(new ToolError('sandbox_busy', 'Too much work waits for the sandbox.'));
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (this.queue.remove(userId, job)) reject(stopped());
      };
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T): void => {
          signal.removeEventListener('abort', leave);
          settle(value);
        };
      };
      const job: Job = { task, limitMs, signal, resolve: settled(resolve), reject: settled(reject) };
      signal.addEventListener('abort', leave, { once: true });
      // A run of thousands of items lets the others of its person in between.
      this.queue.push(userId, job, runId);
    });
  }

  /** Kills what is at work. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const { process, timer } of this.idle.splice(0)) {
      clearTimeout(timer);
      process.kill();
    }
    for (const process of this.busy) process.kill();
    await Promise.resolve();
  }

  private async work({ task, limitMs, signal, resolve, reject }: Job): Promise<void> {
    if (this.isClosed) return reject(stopped());
    const process = this.take();
    this.busy.add(process);
    try {
      resolve(await process.run(task, { signal, limitMs }));
    } catch (error) {
      reject(error);
    } finally {
      this.busy.delete(process);
      this.putBack(process);
    }
  }

  private take(): JobProcess {
    for (let kept = this.idle.pop(); kept; kept = this.idle.pop()) {
      clearTimeout(kept.timer);
      if (kept.process.isUsable) return kept.process;
      kept.process.kill();
    }
    return new JobProcess(this.entry, this.folder);
  }

  private putBack(process: JobProcess): void {
    if (this.isClosed || !process.isUsable) return process.kill();
    const timer = setTimeout(() => {
      const at = this.idle.findIndex((kept) => kept.process === process);
      if (at >= 0) this.idle.splice(at, 1);
      process.kill();
    }, IDLE_MS);
    timer.unref();
    this.idle.push({ process, timer });
  }
}
