import { Worker } from 'node:worker_threads';
import { BadGatewayError } from '@app/common';
import { BuiltinEmbeddings } from './builtin-embeddings.js';
import type { OnModuleDestroy } from '@nestjs/common';
import { Embeddings } from './embeddings.port.js';
import type { EncoderOrder, EncoderReply } from './encoder-thread.js';

/** Its weights and runtime take some 150 MB, which others get back when nobody asks for it. */
const IDLE_MS = 5 * 60_000;

interface Waiting {
  resolve(vectors: Float32Array[]): void;
  reject(error: Error): void;
}

/**
 * The built-in encoder in a thread of its own, which begins when it is first asked and ends when it has nothing to do for
 * a while: a process that answers people is not held up by it.
 */
export class ThreadedEmbeddings extends Embeddings implements OnModuleDestroy {
  readonly enabled = true;
  readonly onPremises = true;
  readonly language: string;
  readonly modelId: string;
  readonly hybridWeight: number;
  private readonly waiting = new Map<number, Waiting>();
  private thread: Worker | null = null;
  private idle: NodeJS.Timeout | undefined;
  private last = 0;

  constructor(private readonly idleMs = IDLE_MS) {
    super();
    ({ language: this.language, modelId: this.modelId, hybridWeight: this.hybridWeight } = new BuiltinEmbeddings());
  }

  /** Whoever does not wait any longer gets the reason of the signal; the thread goes on. */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    if (texts.length === 0) return [];
    clearTimeout(this.idle);
    const thread = (this.thread ??= this.begin());
    const id = (this.last += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>();
    const stop = (): void => reject(signal!.reason as Error);
    signal?.addEventListener('abort', stop, { once: true });
    this.waiting.set(id, { resolve, reject });
    const order: EncoderOrder = { id, texts };
    thread.postMessage(order, []);
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  onModuleDestroy(): Promise<void> {
    return this.close();
  }

  /** What is asked afterwards begins it anew. */
  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { thread } = this;
    this.thread = null;
    await thread?.terminate();
  }

  private begin(): Worker {
    const thread = new Worker(new URL('./encoder-thread.js', import.meta.url), { env: {} });
    // Nothing waits for it when the process ends.
    thread.unref();
    thread.on('message', ({ id, vectors, error }: EncoderReply) => {
      const waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === null) waiting?.resolve(vectors);
      else waiting?.reject(failed(error));
      if (this.waiting.size === 0) this.idle = setTimeout(() => void this.close(), this.idleMs).unref();
    });
    thread.on('error', (error) => this.lose(thread, String(error)));
    thread.on('exit', () => this.lose(thread, 'its thread ended'));
    return thread;
  }

  private lose(thread: Worker, why: string): void {
    if (this.thread === thread) this.thread = null;
    else if (this.thread !== null) return;
    for (const { reject } of this.waiting.values()) reject(failed(why));
    this.waiting.clear();
  }
}

const failed = (why: string): BadGatewayError =>
  new BadGatewayError(`The built-in encoder failed: ${why}`, { code: 'model_error' });
