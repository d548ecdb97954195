import { isQuestion, isTerminalNodeStatus, type NodeState, type NodeWait } from '@app/workflow-definition';
import { RunAgenda } from './run-agenda.js';
import { RunSignals } from './run-signals.js';

/** What nodes, by position, wait for, and which of them may go on. Changes the states of waiting nodes. */
export class NodeWaits {
  private readonly agenda = new RunAgenda();
  private readonly signals = new RunSignals();
  /** Questions whose time is over; the store says whether an answer was faster. */
  private expired: number[] = [];

  constructor(
    private readonly states: readonly NodeState[],
    private readonly markDirty: (node: number) => void,
  ) {}

  get hasReady(): boolean {
    return this.agenda.hasReady;
  }

  isReady(node: number): boolean {
    return this.agenda.isQueued(node);
  }

  makeReady(node: number): void {
    this.agenda.enqueue(node);
  }

  takeReady(): number | undefined {
    return this.agenda.takeNext();
  }

  /** A node as an earlier worker left it. */
  restore(node: number): void {
    const { status, waiting } = this.states[node]!;
    if (status !== 'WAITING' || waiting?.reason === 'wait_for') return;
    if (waiting?.answer) this.agenda.enqueue(node);
    else if (waiting?.until !== undefined) this.agenda.schedule(node, waiting.until);
  }

  suspend(node: number, waiting: NodeWait): void {
    const state = this.states[node]!;
    state.status = 'WAITING';
    state.waiting = { ...countsOf(state.waiting), ...waiting };
    if (waiting.until !== undefined) this.agenda.schedule(node, waiting.until);
    this.markDirty(node);
  }

  /** The wait that a tool asked for. It may be over at once: its signal may have come already. */
  begin(node: number, waiting: NodeWait): void {
    const asked = (this.states[node]!.waiting?.asked ?? 0) + 1;
    this.suspend(node, isQuestion(waiting) ? { ...waiting, id: waiting.id ?? String(asked), asked } : waiting);
    const early = this.signals.takeEarly(node, this.states[node]!.waiting!);
    if (early) this.resume(node, early.value);
  }

  /** Only the first signal counts; what nobody will ever wait for is consumed. */
  signal(node: number, waitId: string, value: unknown): void {
    const { status, waiting } = this.states[node]!;
    const isOpen = status === 'WAITING' && waiting && !waiting.answer;
    if (isOpen && this.signals.isAwaited(waiting, waitId)) {
      this.signals.consume(node, waitId);
      this.resume(node, value);
    } else if (isOpen || isTerminalNodeStatus(status)) {
      this.signals.consume(node, waitId);
      this.markDirty(node);
    } else {
      this.signals.keep(node, waitId, value);
    }
  }

  awaitsSignal(node: number): boolean {
    return this.signals.awaits(this.states[node]!);
  }

  wake(now: number): void {
    for (const node of this.agenda.takeDue(now)) {
      const { status, waiting } = this.states[node]!;
      if (status === 'WAITING' && waiting && isQuestion(waiting)) this.expired.push(node);
      else this.agenda.enqueue(node);
    }
  }

  nextWakeAt(): number | null {
    return this.agenda.nextWakeAt();
  }

  takeExpired(): { nodeId: string; waitId: string }[] {
    const expired = this.expired.map((node) => this.states[node]!);
    this.expired = [];
    return expired
      .filter(({ status, waiting }) => status === 'WAITING' && waiting?.id !== undefined && !waiting.answer)
      .map(({ nodeId, waiting }) => ({ nodeId, waitId: waiting!.id! }));
  }

  takeConsumed(node: number): string[] | null {
    return this.signals.takeConsumed(node);
  }

  started(node: number): void {
    this.agenda.forget(node);
  }

  ended(node: number): void {
    this.agenda.forget(node);
    this.signals.end(node);
  }

  clear(): void {
    this.agenda.clear();
  }

  private resume(node: number, value: unknown): void {
    const state = this.states[node]!;
    state.waiting = { ...state.waiting!, answer: { value } };
    this.markDirty(node);
    this.agenda.enqueue(node);
  }
}

/** What outlives a wait: without it a question asked again after a failure would have the id of the first. */
function countsOf(waiting: NodeWait | null): Pick<NodeWait, 'asked' | 'failures'> {
  return {
    ...(waiting?.asked !== undefined && { asked: waiting.asked }),
    ...(waiting?.failures !== undefined && { failures: waiting.failures }),
  };
}

/** The same for a node that starts anew; as the reason of a wait that is over, `retry` means nothing to anybody. */
export function remembered(waiting: NodeWait | null): NodeWait | null {
  const counts = countsOf(waiting);
  return Object.keys(counts).length > 0 ? { reason: 'retry', ...counts } : null;
}
