import type { NodeState, NodeWait } from '@app/workflow-definition';

/**
 * Signals on their way to nodes, by position: those that came before their node waits, and those that were taken in
 * but are not yet written as consumed. A signal that is never consumed would ask for its run for ever.
 */
export class RunSignals {
  private readonly early = new Map<number, Map<string, unknown>>();
  private readonly consumed = new Map<number, Set<string>>();

  isAwaited(waiting: NodeWait, waitId: string): boolean {
    return waiting.id === waitId || waiting.children?.includes(waitId) === true;
  }

  awaits({ status, waiting }: NodeState): boolean {
    return status === 'WAITING' && waiting !== null && (waiting.id !== undefined || waiting.children !== undefined);
  }

  keep(node: number, waitId: string, value: unknown): void {
    if (this.consumed.get(node)?.has(waitId)) return;
    const early = this.early.get(node);
    if (!early) this.early.set(node, new Map([[waitId, value]]));
    else if (!early.has(waitId)) early.set(waitId, value);
  }

  consume(node: number, waitId: string): void {
    const known = this.consumed.get(node);
    if (known) known.add(waitId);
    else this.consumed.set(node, new Set([waitId]));
  }

  /** The signal that came before the node began to wait for it; the others came for waits that are over. */
  takeEarly(node: number, waiting: NodeWait): { value: unknown } | null {
    const early = this.early.get(node);
    if (!early) return null;
    this.early.delete(node);
    let first: { value: unknown } | null = null;
    for (const [waitId, value] of early) {
      this.consume(node, waitId);
      if (this.isAwaited(waiting, waitId)) first ??= { value };
    }
    return first;
  }

  /** The node has ended: it will not wait for anything any more. */
  end(node: number): void {
    for (const waitId of this.early.get(node)?.keys() ?? []) this.consume(node, waitId);
    this.early.delete(node);
  }

  takeConsumed(node: number): string[] | null {
    const consumed = this.consumed.get(node);
    if (!consumed) return null;
    this.consumed.delete(node);
    return [...consumed];
  }
}
