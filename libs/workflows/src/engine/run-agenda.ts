/** Which nodes, by position, may start now, and which go on at a certain time. */
export class RunAgenda {
  private ready: number[] = [];
  private taken = 0;
  private readonly queued = new Set<number>();
  /** Milliseconds since the epoch. */
  private readonly due = new Map<number, number>();

  get hasReady(): boolean {
    return this.queued.size > 0;
  }

  isQueued(node: number): boolean {
    return this.queued.has(node);
  }

  enqueue(node: number): void {
    this.due.delete(node);
    if (this.queued.has(node)) return;
    this.queued.add(node);
    this.ready.push(node);
  }

  takeNext(): number | undefined {
    const node = this.ready[this.taken];
    if (node === undefined) return undefined;
    this.taken += 1;
    this.queued.delete(node);
    if (this.taken === this.ready.length) this.reset();
    return node;
  }

  schedule(node: number, until: number): void {
    this.due.set(node, until);
  }

  /** Takes out the nodes whose time has come, in the order of the definition. */
  takeDue(now: number): number[] {
    if (this.due.size === 0) return [];
    const due = [...this.due].filter(([, until]) => until <= now).map(([node]) => node);
    for (const node of due) this.due.delete(node);
    return due.sort((a, b) => a - b);
  }

  nextWakeAt(): number | null {
    let earliest: number | null = null;
    for (const until of this.due.values()) if (earliest === null || until < earliest) earliest = until;
    return earliest;
  }

  /** The node has ended or has started: no time concerns it any more. */
  forget(node: number): void {
    this.due.delete(node);
  }

  clear(): void {
    this.reset();
    this.queued.clear();
    this.due.clear();
  }

  private reset(): void {
    this.ready = [];
    this.taken = 0;
  }
}
