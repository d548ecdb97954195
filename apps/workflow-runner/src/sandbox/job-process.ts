import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { LimitWatch, startProcess } from '@app/isolation';
import { ToolError } from '@app/workflow-definition';
import { type JobFiles, JobFolder } from './job-folder.js';

export interface JobTask {
  job: string;
  input: unknown;
}
/** `file`: what the job wrote, for whoever asked to remove. */
export type JobAnswer = { ok: true; value: unknown; file?: string } | { ok: false; code: string; message: string };

/** A function where the job works with files: called once its process is there. */
export type AskedTask = JobTask | ((files: JobFiles) => JobTask);

/** What `@app/workflow-tools/sandbox-worker` says. */
type Reply =
  | { type: 'limit'; limitMs: number }
  | { type: 'answer'; answer: JobAnswer; residentBytes: number }
  | { type: 'broken'; message: string };

export interface JobLimits {
  signal: AbortSignal;
  limitMs: number;
}

const MB = 1024 * 1024;
const HEAP_MB = 256;
/** What lies outside the heap (text on its way, WebAssembly) counts here. */
const MAX_RESIDENT_BYTES = 448 * MB;
/** One that has grown beyond this is not used again: what it has taken it keeps. */
const MAX_KEPT_BYTES = 192 * MB;
/** Of the stack, in KB; what deep recursion of the engine for code takes of the process around it. */
const STACK_KB = 6_000;
/** Work has limits of its own and ends by itself; this much later its process is killed. */
const GRACE_MS = 1_500;

const OUT_OF_MEMORY = () => new ToolError('memory_limit', 'The work needs too much memory.');
const tookTooLong = (milliseconds: number) =>
  new ToolError('time_limit', `The work took longer than ${milliseconds / 1_000} seconds.`);

/**
 * A process for untrusted work, one job at a time. Not a thread: where built-in code of V8 exhausts a thread's heap
 * (`JSON.parse`, `split`, `matchAll`), the whole process aborts. It holds no secret, and sees its code and its folder alone.
 */
export class JobProcess {
  private readonly child: ChildProcess;
  private readonly gone: Promise<void>;
  private isOver = false;
  private isSpent = false;

  private readonly folder: JobFolder;

  /** @param base a folder for rooms and results, which no process sees */
  constructor(entry: string, base: string) {
    this.folder = new JobFolder(base);
    this.child = startProcess({
      entry,
      heapMb: HEAP_MB,
      switches: ['--max-semi-space-size=8', `--stack-size=${STACK_KB}`],
      ...this.folder.grants,
      threads: true,
      humble: true,
    });
    // What it complains of, such as its memory, is seen by its end.
    this.child.stderr?.resume();
    (this.child.stderr as Socket | null)?.unref();
    this.gone = new Promise((resolve) => {
      const end = (): void => {
        this.isOver = true;
        this.folder.close();
        resolve();
      };
      this.child.once('exit', end).on('error', end);
    });
    this.child.unref();
    this.child.channel?.unref();
  }

  /** Whether another job may be given to it. */
  get isUsable(): boolean {
    return !this.isOver && !this.isSpent && this.child.connected;
  }

  /** Kills the process when the job breaks a limit or is stopped. @throws ToolError, Error */
  async run(asked: AskedTask, { signal, limitMs }: JobLimits): Promise<JobAnswer> {
    const { child, folder } = this;
    const task = typeof asked === 'function' ? asked(folder) : asked;
    const done = new AbortController();
    let watch: LimitWatch | undefined;
    this.child.ref();
    this.child.channel?.ref();
    try {
      const answer = await new Promise<JobAnswer>((resolve, reject) => {
        let allowedMs = limitMs;
        const watching = new LimitWatch(
          child.pid,
          { totalMs: limitMs + GRACE_MS, rssBytes: MAX_RESIDENT_BYTES },
          ({ limit }) => reject(limit === 'time' ? tookTooLong(allowedMs) : OUT_OF_MEMORY()),
        );
        watch = watching;
        const hear = (reply: Reply): void => {
          if (reply.type === 'limit') {
            allowedMs = reply.limitMs;
            return watching.restart(allowedMs + GRACE_MS);
          }
          if (reply.type === 'broken') return reject(new Error(reply.message));
          this.isSpent = reply.residentBytes > MAX_KEPT_BYTES;
          resolve(reply.answer);
        };
        // Out of memory it ends by itself, and nothing else ends it but we.
        const exit = (): void => reject(OUT_OF_MEMORY());
        child.on('message', hear);
        child.once('exit', exit);
        child.once('error', exit);
        done.signal.addEventListener('abort', () => {
          child.off('message', hear).off('exit', exit).off('error', exit);
        });
        signal.addEventListener('abort', () => reject(stopped()), { once: true, signal: done.signal });
        if (signal.aborted) reject(stopped());
        child.send(task, (error) => {
          if (!error) return;
          reject(
            error.name === 'DataCloneError'
              ? new ToolError('invalid_params', 'Only JSON values can be worked on.', false)
              : OUT_OF_MEMORY(),
          );
        });
      });
      if (typeof asked !== 'function') return answer;
      const file = folder.takeResult();
      folder.clear();
      return answer.ok && file !== null ? { ...answer, file } : answer;
    } catch (error) {
      this.kill();
      // What it writes it writes before whoever asked goes on.
      await this.gone;
      throw error;
    } finally {
      watch?.stop();
      done.abort();
      child.unref();
      child.channel?.unref();
    }
  }

  kill(): void {
    this.isSpent = true;
    this.child.kill('SIGKILL');
  }
}

export function stopped(): ToolError {
  return new ToolError('aborted', 'The node was stopped.', false);
}
