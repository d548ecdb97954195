import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import type { ChildMessage, DrawRequest, ParentMessage, ParseRequest } from './child-messages.js';
import type { ExtractedPage, Extraction, ExtractionProgress } from './extracted-page.js';
import { ExtractionError } from './extraction-error.js';
import type { ExtractionLimits } from './extraction-limits.js';
import { LimitWatch } from './limit-watch.js';
import { outOfMemory } from './out-of-memory.js';

export type OnPage = (page: ExtractedPage, progress: ExtractionProgress) => void | Promise<void>;

type PageMessage = Extract<ChildMessage, { type: 'page' }>;

const STDERR_KEPT = 4000;
const HEAP_EXHAUSTED = /heap out of memory|Array buffer allocation failed|Cannot enlarge memory/i;

/**
 * One process that reads documents, one after the other. It holds no secret (an empty environment),
 * may not write files or start programs (Node's permission model), and is killed when a document
 * breaks a limit: `alive` is false afterwards and the owner takes a new one.
 */
export class ParserProcess {
  private readonly child: ChildProcess;
  private stderr = '';
  documentsRead = 0;

  constructor(
    entry: string,
    private readonly limits: ExtractionLimits,
  ) {
    this.child = fork(entry, [], {
      env: {},
      execArgv: [
        `--max-old-space-size=${limits.heapMb}`,
        '--permission',
        '--allow-fs-read=*',
        '--allow-addons',
        '--allow-worker',
        // The permission model warns of the switches that PDFium, sharp and Tesseract need.
        '--no-warnings',
      ],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-STDERR_KEPT);
    });
    if (this.child.pid !== undefined) lowerPriority(this.child.pid);
    // Without a listener a failed start would end the indexer; `run` reports it through 'exit' or its own listener.
    this.child.on('error', () => this.kill());
    this.unref();
  }

  get alive(): boolean {
    // `killed` is set by the call, long before the process is gone.
    return !this.child.killed && this.child.connected && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resident memory in bytes; null where the system does not tell. */
  residentBytes(): Promise<number | null> {
    return LimitWatch.residentBytes(this.child.pid);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  /**
   * Reads one document; call it again only after it has settled.
   * @throws ExtractionError, the signal's reason, or what `onPage` threw; in the last two cases, and
   * on a broken limit, the process is dead afterwards
   */
  async run(
    request: ParseRequest,
    onPage: OnPage,
    { signal, totalMs = this.limits.totalMs }: { signal?: AbortSignal | undefined; totalMs?: number } = {},
  ): Promise<Extraction> {
    let stored = Promise.resolve();
    return this.converse<Extraction>(
      { type: 'extract', request },
      { signal, totalMs },
      (message, { watch, resolve, fail }) => {
        if (message.type === 'page') {
          watch.arrived();
          stored = stored.then(() => this.store(message, onPage, watch));
          stored.catch(fail);
        } else if (message.type === 'done') {
          watch.finish();
          stored.then(() => resolve({ pageCount: message.pageCount, notice: message.notice }), fail);
        }
      },
    );
  }

  /** Draws one page; like `run` in all else. @returns a WebP */
  async draw(request: DrawRequest, signal?: AbortSignal): Promise<Uint8Array> {
    const time = { signal, totalMs: this.limits.totalMs };
    return this.converse<Uint8Array>({ type: 'draw', request }, time, (message, { resolve }) => {
      if (message.type === 'picture') resolve(message.image);
    });
  }

  private async converse<T>(
    question: Exclude<ParentMessage, { type: 'ack' }>,
    { signal, totalMs }: { signal?: AbortSignal | undefined; totalMs: number },
    listen: (
      message: ChildMessage,
      conversation: { watch: LimitWatch; resolve(answer: T): void; fail(error: unknown): void },
    ) => void,
  ): Promise<T> {
    signal?.throwIfAborted();
    this.documentsRead += 1;
    const growth = await this.mostGrowth(question);
    signal?.throwIfAborted();
    this.child.ref();
    const { pageMs, rssBytes } = this.limits;
    const watch = new LimitWatch(this.child.pid, { totalMs, pageMs, rssBytes });
    let own = 0;
    // What the process needs for itself, first of all to start, is not the document's.
    const allow = (bytes: number) => {
      own += bytes;
      watch.allow(Math.min(rssBytes, own + growth));
    };
    const cleanups: (() => void)[] = [() => watch.stop()];
    try {
      return await new Promise<T>((resolve, reject) => {
        const fail = (error: unknown) => {
          this.kill();
          reject(error);
        };
        const onMessage = (message: ChildMessage) => {
          if (message.type === 'ready') return allow(message.resident);
          if (message.type === 'started') return allow(message.bytes);
          if (message.type !== 'failed') return listen(message, { watch, resolve, fail });
          if (message.tainted) this.kill();
          reject(new ExtractionError(message.code, message.message, { cause: message.detail }));
        };
        const onExit = () => reject(this.explainExit());
        const onAbort = () => fail(signal?.reason);
        this.child.on('message', onMessage).once('exit', onExit);
        signal?.addEventListener('abort', onAbort, { once: true });
        cleanups.push(() => {
          this.child.off('message', onMessage).off('exit', onExit);
          signal?.removeEventListener('abort', onAbort);
        });
        watch.onBroken = fail;
        if (!this.alive) onExit();
        this.send(question);
      });
    } finally {
      for (const cleanup of cleanups) cleanup();
      this.unref();
    }
  }

  /** Bytes that this file may add to the process. */
  private async mostGrowth({ request }: Exclude<ParentMessage, { type: 'ack' }>): Promise<number> {
    const { growthBytes, growthPerByte, recognitionBytes } = this.limits;
    const { size } = await stat(request.path);
    const recognises = 'ocr' in request && request.ocr;
    return growthBytes + growthPerByte * size + (recognises ? recognitionBytes : 0);
  }

  private async store(message: PageMessage, onPage: OnPage, watch: LimitWatch): Promise<void> {
    await onPage(message.page, message.progress);
    watch.stored();
    this.send({ type: 'ack' });
  }

  private send(message: ParentMessage): void {
    // A child that died in this moment is reported by its 'exit' event; the callback keeps the error from being thrown.
    if (this.child.connected) this.child.send(message, () => undefined);
  }

  private explainExit(): ExtractionError {
    const detail = `signal ${this.child.signalCode}, code ${this.child.exitCode}: ${this.stderr.trim()}`;
    if (HEAP_EXHAUSTED.test(this.stderr)) return outOfMemory(detail);
    return new ExtractionError('crashed', 'The file could not be read: reading it stopped unexpectedly.', {
      cause: detail,
    });
  }

  /** An idle child must not keep the indexer from ending. */
  private unref(): void {
    this.child.unref();
    this.child.channel?.unref();
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    // The process may be gone already, or the system may forbid it; reading works all the same.
    if (!(error instanceof Error)) throw error;
  }
}
