/**
 * The rules of docs/contract/workflows.md#graph-rules, read aloud: every question is answered from scratch, and
 * nothing is remembered.
 */
export interface ModelNode {
  id: string;
  kind: string;
  params: Record<string, unknown>;
  next: string[];
  error_next: string[];
  on_error: 'fail' | 'continue' | 'branch';
  retry: { max_attempts: number; backoff_seconds: number; multiplier: number; max_seconds: number } | null;
  requires: { wait_for: string[]; on_failed: 'skip' | 'continue' };
}

export interface ModelState {
  status: string;
  attempt: number;
  reason: string | null;
  until: number | null;
  /** Signals that end the wait, and the value of the first that came; null also when its time was over. */
  awaited: string[];
  isAnswered: boolean;
  answer: unknown;
  /** Signals that came before the node waits for them. */
  early: { waitId: string; value: unknown }[];
  /** How often it asked, and how often it failed and was tried again. */
  asked: number;
  failures: number;
  chosen: string[] | null;
  errorCode: string | null;
}

const terminal = ['COMPLETED', 'FAILED', 'SKIPPED', 'STOPPED'];

export class ReferenceModel {
  states: Record<string, ModelState> = {};

  constructor(
    private readonly nodes: ModelNode[],
    private readonly entry: string[],
    /** Null: the whole workflow. */
    private readonly only: string[] | null = null,
  ) {
    for (const { id } of nodes) {
      this.states[id] = {
        status: 'PENDING',
        attempt: 0,
        reason: null,
        until: null,
        awaited: [],
        isAnswered: false,
        answer: null,
        early: [],
        asked: 0,
        failures: 0,
        chosen: null,
        errorCode: null,
      };
    }
  }

  members(): ModelNode[] {
    return this.nodes.filter(({ id }) => !this.only || this.only.includes(id));
  }

  private node(id: string): ModelNode {
    return this.nodes.find((node) => node.id === id)!;
  }

  private isTerminal(id: string): boolean {
    if (this.only && !this.only.includes(id)) return true;
    return terminal.includes(this.states[id]!.status);
  }

  predecessors(id: string): ModelNode[] {
    return this.nodes.filter(
      (node) => node.next.includes(id) || (node.on_error === 'branch' && node.error_next.includes(id)),
    );
  }

  private isFirst(id: string): boolean {
    if (!this.only) return this.entry.includes(id);
    return !this.predecessors(id).some((node) => this.only!.includes(node.id));
  }

  /** Rule 1, with the error paths of rule 5. */
  private isSelected(id: string): boolean {
    if (this.isFirst(id)) return true;
    return this.predecessors(id).some((node) => {
      const { status, chosen } = this.states[node.id]!;
      if (status === 'COMPLETED') return node.next.includes(id) && (chosen === null || chosen.includes(id));
      if (status !== 'FAILED') return false;
      if (node.on_error === 'continue') return node.kind !== 'branching' && node.next.includes(id);
      return node.on_error === 'branch' && node.error_next.includes(id);
    });
  }

  /** Rule 5, "nothing downstream of it starts". */
  private isDownstreamOfFailure(id: string): boolean {
    return this.nodes.some((node) => {
      if (!node.next.includes(id)) return false;
      const { status } = this.states[node.id]!;
      if (status === 'FAILED') return node.on_error === 'fail';
      return status === 'SKIPPED' && this.isDownstreamOfFailure(node.id);
    });
  }

  private isWaitBroken(id: string): boolean {
    if (this.only && this.isFirst(id) && this.only.length < this.nodes.length) return false;
    const { wait_for: awaited, on_failed: onFailed } = this.node(id).requires;
    return onFailed === 'skip' && awaited.some((other) => ['FAILED', 'STOPPED'].includes(this.states[other]!.status));
  }

  private isJoinOpen(id: string): boolean {
    return !this.isFirst(id) && this.predecessors(id).some((node) => !this.isTerminal(node.id));
  }

  private isWaitOpen(id: string): boolean {
    return this.node(id).requires.wait_for.some((other) => !this.isTerminal(other));
  }

  private isUndecided(id: string): boolean {
    const { status, reason } = this.states[id]!;
    return status === 'PENDING' || (status === 'WAITING' && reason === 'wait_for');
  }

  /** Skips until a whole pass skips nothing more; then whoever is selected and must wait says so. */
  settle(): void {
    let hasSkipped = true;
    while (hasSkipped) {
      hasSkipped = false;
      for (const { id } of this.members()) {
        if (!this.isUndecided(id) || this.isJoinOpen(id)) continue;
        const isLeftOut = !this.isFirst(id) && (!this.isSelected(id) || this.isDownstreamOfFailure(id));
        if (!isLeftOut && !this.isWaitBroken(id)) continue;
        Object.assign(this.states[id]!, { status: 'SKIPPED', reason: null });
        hasSkipped = true;
      }
    }
    for (const { id } of this.members()) {
      if (this.states[id]!.status !== 'PENDING' || !this.isSelected(id) || !this.isWaitOpen(id)) continue;
      Object.assign(this.states[id]!, { status: 'WAITING', reason: 'wait_for' });
    }
  }

  /** Rule 2, and waits that are over. */
  startable(now: number): string[] {
    return this.members()
      .map(({ id }) => id)
      .filter((id) => {
        const { status, reason, until, isAnswered } = this.states[id]!;
        if (status === 'LOST') return true;
        if (this.isUndecided(id)) return this.isSelected(id) && !this.isWaitOpen(id) && !this.isJoinOpen(id);
        if (status !== 'WAITING' || reason === 'wait_for') return false;
        return isAnswered || (reason !== 'input' && until !== null && until <= now);
      });
  }

  /** Questions whose time is over: somebody has to find out whether an answer was faster. */
  overdue(now: number): string[] {
    return this.members()
      .map(({ id }) => id)
      .filter((id) => {
        const { status, reason, until, isAnswered } = this.states[id]!;
        return status === 'WAITING' && reason === 'input' && !isAnswered && until !== null && until <= now;
      });
  }

  start(id: string): void {
    const state = this.states[id]!;
    const isWait = ['timer', 'input', 'child'].includes(state.reason!);
    if (state.status !== 'WAITING' || !isWait) state.attempt += 1;
    state.status = 'RUNNING';
    if (!isWait) state.reason = null;
    state.until = null;
  }

  end(
    id: string,
    status: 'COMPLETED' | 'FAILED',
    details: { chosen?: string[] | null | undefined; errorCode?: string },
  ): void {
    Object.assign(this.states[id]!, {
      status,
      reason: null,
      until: null,
      isAnswered: false,
      answer: null,
      chosen: details.chosen ?? null,
      errorCode: details.errorCode ?? null,
    });
    this.settle();
  }

  fail(id: string, errorCode: string, retryable: boolean, now: number): void {
    const { retry } = this.node(id);
    const state = this.states[id]!;
    if (!retry || !retryable || state.attempt >= retry.max_attempts) {
      this.end(id, 'FAILED', { errorCode });
      return;
    }
    let delay = retry.backoff_seconds;
    for (let attempt = 1; attempt < state.attempt; attempt += 1) delay *= retry.multiplier;
    Object.assign(state, { status: 'WAITING', reason: 'retry', errorCode, isAnswered: false, answer: null });
    state.awaited = [];
    state.early = [];
    state.failures += 1;
    state.until = now + Math.round(Math.min(delay, retry.max_seconds) * 1_000);
  }

  /** @param children the runs whose ends a `child` wait is for. */
  wait(id: string, reason: 'timer' | 'input' | 'child', until: number | null, children: string[] = []): void {
    const state = this.states[id]!;
    if (reason === 'input') state.asked += 1;
    const awaited = reason === 'input' ? [String(state.asked)] : children;
    const early = state.early.find(({ waitId }) => awaited.includes(waitId));
    Object.assign(state, { status: 'WAITING', reason, until, awaited, early: [] });
    Object.assign(state, { isAnswered: early !== undefined, answer: early?.value ?? null });
  }

  signal(id: string, waitId: string, value: unknown): void {
    const state = this.states[id]!;
    if (this.isTerminal(id)) return;
    if (state.status !== 'WAITING' || state.isAnswered) state.early.push({ waitId, value });
    else if (state.awaited.includes(waitId)) Object.assign(state, { isAnswered: true, answer: value });
  }

  stop(): void {
    for (const { id } of this.members()) {
      if (!this.isTerminal(id)) Object.assign(this.states[id]!, { status: 'STOPPED', reason: null, until: null });
    }
  }

  /** The worker is gone: what ran and may not run again fails, the rest starts again. */
  loseWorker(): void {
    for (const { id, kind } of this.members()) {
      const state = this.states[id]!;
      if (state.status !== 'RUNNING' && state.status !== 'LOST') continue;
      if (kind === 'external' || state.attempt >= 20) this.end(id, 'FAILED', { errorCode: 'worker_lost' });
      else state.status = 'LOST';
    }
    this.settle();
  }

  runStatus(): string {
    const states = this.members().map((node) => ({ node, ...this.states[node.id]! }));
    if (states.some(({ status }) => status === 'STOPPED')) return 'STOPPED';
    if (states.some(({ status }) => !terminal.includes(status))) return 'RUNNING';
    return states.some(({ node, status }) => status === 'FAILED' && node.on_error === 'fail') ? 'FAILED' : 'COMPLETED';
  }
}
