import type { ChildProcess, Serializable } from 'node:child_process';
import type { Socket } from 'node:net';
import { LimitWatch, residentBytes, type WatchedLimits } from './limit-watch.js';
import { type ProcessGrants, startProcess } from './start-process.js';

export type { ProcessGrants } from './start-process.js';

const STDERR_KEPT = 4000;
const OUT_OF_MEMORY =
  /out of memory|bad_alloc|cannot allocate|allocation failed|failed to allocate|Cannot enlarge memory|Invalid string length/i;

/** Why a process did not answer. */
export interface Ending {
  /** `memory`: a limit, or it said itself that it ran out; `exit`: it ended, or could not start. */
  cause: 'time' | 'memory' | 'exit';
  /** For the log, never for people: it may quote what was worked on. */
  detail: string;
}

export interface Conversation<T> {
  watch: LimitWatch;
  resolve(answer: T): void;
  /** Ends the process: it is in the middle of something. */
  fail(error: unknown): void;
}

export interface Asked {
  limits: WatchedLimits;
  signal?: AbortSignal | undefined;
  explain(ending: Ending): Error;
}

/**
 * A child process for work that nobody trusts. It holds no secret, can do what it was granted only, and is killed when
 * it breaks a limit: `alive` is false afterwards and the owner takes a new one. While it has nothing to do it does not
 * keep this process from ending, and it ends with it.
 */
export class IsolatedProcess<Question extends object, Answer> {
  private readonly child: ChildProcess;
  private stderr = '';

  constructor(grants: ProcessGrants) {
    this.child = startProcess(grants);
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-STDERR_KEPT);
    });
    // Without a listener a failed start would end this process; a conversation finds it dead.
    this.child.on('error', (error) => {
      this.stderr += error.message;
      this.kill();
    });
    this.hold(false);
  }

  get alive(): boolean {
    // `killed` is set by the call, long before the process is gone.
    return !this.child.killed && this.child.connected && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resident memory in bytes; null where the system does not tell. */
  residentBytes(): Promise<number | null> {
    return residentBytes(this.child.pid);
  }

  /** It has no children of its own (it may start none), and its threads end with it. */
  kill(): void {
    this.child.kill('SIGKILL');
  }

  onceGone(listener: () => void): void {
    this.child.once('exit', listener);
  }

  send(message: Question): void {
    // A child that died in this moment is reported by its 'exit' event; the callback keeps the error from being thrown.
    if (this.child.connected) this.child.send(message as Serializable, () => undefined);
  }

  /**
   * One question at a time; `listen` hears every message until the conversation is resolved or has failed.
   * @throws what `explain` makes of a broken limit or an unexpected end; the signal's reason; what `fail` was given. In
   * all these cases the process is dead
   */
  async converse<T>(
    question: Question,
    { limits, signal, explain }: Asked,
    listen: (message: Answer, conversation: Conversation<T>) => void,
  ): Promise<T> {
    signal?.throwIfAborted();
    this.hold(true);
    const cleanups: (() => void)[] = [];
    try {
      return await new Promise<T>((resolve, reject) => {
        const fail = (error: unknown) => {
          this.kill();
          reject(error);
        };
        const watch = new LimitWatch(this.child.pid, limits, ({ limit, detail }) =>
          fail(explain({ cause: limit, detail })),
        );
        const onMessage = (message: unknown) => listen(message as Answer, { watch, resolve, fail });
        const onExit = () => fail(explain(this.ending()));
        const onAbort = () => fail(signal?.reason);
        this.child.on('message', onMessage).once('close', onExit);
        signal?.addEventListener('abort', onAbort, { once: true });
        cleanups.push(() => {
          watch.stop();
          this.child.off('message', onMessage).off('close', onExit);
          signal?.removeEventListener('abort', onAbort);
        });
        if (this.alive) this.send(question);
        else onExit();
      });
    } finally {
      for (const cleanup of cleanups) cleanup();
      this.hold(false);
    }
  }

  private ending(): Ending {
    const { signalCode, exitCode } = this.child;
    const cause = OUT_OF_MEMORY.test(this.stderr) ? 'memory' : 'exit';
    return { cause, detail: `signal ${signalCode}, code ${exitCode}: ${this.stderr.trim()}` };
  }

  /** Whether the process keeps this one from ending. */
  private hold(held: boolean): void {
    const change = held ? 'ref' : 'unref';
    this.child[change]();
    this.child.channel?.[change]();
    (this.child.stderr as Socket | null)?.[change]();
  }
}
