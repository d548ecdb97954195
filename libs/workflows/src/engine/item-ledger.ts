import type { ItemFailures, ItemState, ItemStatus, NodeError, SideEffects } from '@app/workflow-definition';

export interface LedgerOptions {
  itemFailures: ItemFailures;
  sideEffects: SideEffects;
  /** Tries of the node that have failed: what failed before is tried again, what was done stays done. */
  round: number;
}

const LOST: NodeError = {
  code: 'worker_lost',
  message: 'The worker was lost while it worked on this item. It may have taken effect, so it was not tried again.',
};

/** Which items of a batch node are still to be done: no I/O, and the same calls give the same answers. */
export class ItemLedger {
  private readonly open: number[] = [];
  private taken = 0;
  private readonly active = new Set<number>();
  private readonly dirty = new Map<number, ItemState>();
  private completed = 0;
  private failed = 0;
  private worst: ItemState | null = null;

  /** @param known what is written of the items, without their outputs. */
  constructor(
    private readonly total: number,
    known: readonly ItemState[],
    private readonly options: LedgerOptions,
  ) {
    const settled = new Set<number>();
    for (const item of known) {
      if (item.index < total && this.restore(item)) settled.add(item.index);
    }
    for (let index = 0; index < total; index += 1) if (!settled.has(index)) this.open.push(index);
  }

  /** Items that will not be worked on any more. */
  get settled(): number {
    return this.completed + this.failed;
  }

  /** The failed item with the lowest index. */
  get firstFailure(): ItemState | null {
    return this.worst;
  }

  /** Nothing is at work, and nothing more will be. */
  get isOver(): boolean {
    return this.active.size === 0 && (this.isBroken || this.taken === this.open.length);
  }

  /** Starts so many more items. Those with `external` effects have to be written before the work on them begins. */
  take(limit: number): number[] {
    if (this.isBroken || limit <= 0) return [];
    const indices = this.open.slice(this.taken, this.taken + limit);
    this.taken += indices.length;
    for (const index of indices) {
      this.active.add(index);
      if (this.options.sideEffects === 'external') this.write(index, 'STARTED', null, null);
    }
    return indices;
  }

  complete(index: number, output: unknown): void {
    if (!this.active.delete(index)) return;
    this.completed += 1;
    this.write(index, 'COMPLETED', output, null);
  }

  fail(index: number, error: NodeError): void {
    if (!this.active.delete(index)) return;
    this.failed += 1;
    this.blame(this.write(index, 'FAILED', null, error));
  }

  get dirtyCount(): number {
    return this.dirty.size;
  }

  /** What has changed since the last call. */
  takeDirty(): ItemState[] {
    const items = [...this.dirty.values()];
    this.dirty.clear();
    return items;
  }

  private get isBroken(): boolean {
    return this.failed > 0 && this.options.itemFailures === 'fail';
  }

  /** Whether the item is settled. */
  private restore(item: ItemState): boolean {
    const { round, sideEffects } = this.options;
    switch (item.status) {
      case 'COMPLETED':
        this.completed += 1;
        return true;
      case 'STARTED':
        if (sideEffects !== 'external') return false;
        this.failed += 1;
        this.blame(this.write(item.index, 'LOST', null, LOST));
        return true;
      case 'FAILED':
        if (item.round < round) return false;
        break;
      case 'LOST':
        break;
    }
    this.failed += 1;
    this.blame(item);
    return true;
  }

  private blame(item: ItemState): void {
    if (!this.worst || item.index < this.worst.index) this.worst = item;
  }

  private write(index: number, status: ItemStatus, output: unknown, error: NodeError | null): ItemState {
    const item = { index, status, round: this.options.round, output, error };
    this.dirty.set(index, item);
    return item;
  }
}
