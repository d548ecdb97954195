import { AutoResetEvent } from '@app/common';
import {
  type ItemRecords,
  type ItemResult,
  type ItemsOptions,
  JsonText,
  measureJson,
  ToolError,
  writeJson,
} from '@app/workflow-definition';
import { ItemLedger } from '@app/workflows';
import { MAX_OUTPUT_BYTES } from './output-holder.js';

/** Results are written together: at most this often, unless so many have gathered. */
const SAVE_MS = 100;
const SAVE_COUNT = 250;
/** Of all results together, as objects. */
const MAX_LIVE_WEIGHT = 2 * 1024 * 1024;
/** A stretch of quick items longer than this lets the rest of the process work in between. */
const MAX_STRETCH_MS = 5;

export interface ItemWork extends ItemsOptions {
  items: readonly unknown[];
  /** Tries of the node that have failed. */
  round: number;
  process(item: unknown, index: number): Promise<unknown>;
  /** Lets everything else go on before the next items. */
  turn(): Promise<void>;
  records: ItemRecords;
  signal: AbortSignal;
}

/**
 * Does the work on every item that is not written as done. A crash costs the items whose results were not yet
 * written, which is why those with external effects are announced before they begin.
 */
export class ItemProcessor {
  private readonly ledger: ItemLedger;
  private readonly results = new Map<number, ItemResult>();
  private readonly changed = new AutoResetEvent();
  private atWork = 0;
  private savedAt = performance.now();
  private breakdown: { error: unknown } | null = null;
  private isFirstFailureFinal = false;
  /** Of the results: as JSON, and as objects. */
  private bytes = 0;
  private weight = 0;

  private constructor(
    private readonly work: ItemWork,
    private readonly known: Awaited<ReturnType<ItemRecords['load']>>,
  ) {
    this.ledger = new ItemLedger(work.items.length, known, work);
  }

  /** @throws ToolError `item_failed`, and whatever `records` throws when the run is lost. */
  static async run(work: ItemWork): Promise<ItemResult[]> {
    const processor = new ItemProcessor(work, await work.records.load());
    const wake = (): void => processor.changed.set();
    work.signal.addEventListener('abort', wake, { once: true });
    try {
      await processor.processAll();
    } finally {
      work.signal.removeEventListener('abort', wake);
    }
    return processor.collect();
  }

  private async processAll(): Promise<void> {
    const { concurrency, sideEffects, signal } = this.work;
    let stretchStart = performance.now();
    await this.save();
    while (!this.ledger.isOver) {
      if (signal.aborted) throw new ToolError('aborted', 'The node was stopped.', false);
      if (this.breakdown) throw this.breakdown.error;
      const indices = this.ledger.take(concurrency - this.atWork);
      if (indices.length > 0 && sideEffects === 'external') await this.save();
      if (signal.aborted) continue;
      for (const index of indices) this.begin(index);
      const { dirtyCount } = this.ledger;
      if (dirtyCount >= SAVE_COUNT || (dirtyCount > 0 && performance.now() - this.savedAt >= SAVE_MS))
        await this.save();
      if (performance.now() - stretchStart >= MAX_STRETCH_MS) {
        await this.work.turn();
        stretchStart = performance.now();
      }
      if (indices.length === 0 || this.atWork >= concurrency)
        await this.changed.wait(dirtyCount > 0 ? SAVE_MS : Infinity);
    }
    if (this.breakdown) throw this.breakdown.error;
    await this.save();
  }

  private begin(index: number): void {
    this.atWork += 1;
    void this.workOn(index).finally(() => {
      this.atWork -= 1;
      this.changed.set();
    });
  }

  /** Never throws: what is not a failure of the item ends the whole. */
  private async workOn(index: number): Promise<void> {
    try {
      const output = this.held((await this.work.process(this.work.items[index], index)) ?? null);
      this.results.set(index, { index, output, error: null });
      this.ledger.complete(index, output);
    } catch (error) {
      if (error instanceof ToolError) this.fail(index, error);
      else this.breakdown ??= { error };
    }
  }

  /** What has gathered is text: as objects many small results take far more than they say. @throws ToolError */
  private held(output: unknown): unknown {
    const size = measureJson(output, MAX_OUTPUT_BYTES);
    if (!size) throw new ToolError('invalid_output', 'The output cannot be written as JSON.', false);
    this.bytes += size.bytes;
    if (this.bytes > MAX_OUTPUT_BYTES) {
      const message = `The results of the items are larger than ${MAX_OUTPUT_BYTES} bytes together.`;
      this.breakdown ??= { error: new ToolError('output_too_large', message, false) };
      return null;
    }
    this.weight += size.weight;
    return this.weight > MAX_LIVE_WEIGHT ? new JsonText(writeJson(output)) : output;
  }

  private fail(index: number, error: ToolError): void {
    const { code, message } = error;
    this.results.set(index, { index, output: null, error: { code, message } });
    this.ledger.fail(index, { code, message });
    if (this.ledger.firstFailure?.index === index) this.isFirstFailureFinal = !error.retryable;
  }

  private async save(): Promise<void> {
    this.savedAt = performance.now();
    const changed = this.ledger.takeDirty();
    if (changed.length > 0) await this.work.records.save(changed);
    this.work.records.report(this.work.items.length, this.ledger.settled);
  }

  private async collect(): Promise<ItemResult[]> {
    const { items, itemFailures, records } = this.work;
    const failure = this.ledger.firstFailure;
    if (failure && itemFailures === 'fail') {
      const { code, message } = failure.error!;
      const isFinal = this.isFirstFailureFinal || failure.status === 'LOST';
      throw new ToolError('item_failed', `Item ${failure.index + 1} failed (${code}): ${message}`, !isFinal);
    }
    // What this process has not done itself, an earlier one has written.
    const written = this.known.length > 0 ? await records.load({ withOutputs: true }) : [];
    const earlier = new Map(written.map(({ index, output, error }) => [index, { index, output, error }]));
    return items.map((_, index) => this.results.get(index) ?? earlier.get(index)!);
  }
}
