/** Which nodes, by position, may start now, and which go on at a certain time. */
export class RunAgenda {
  private readonly ready: number[] = [];
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
    const node = this.ready.shift();
    if (node !== undefined) this.queued.delete(node);
    return node;
  }

  schedule(node: number, until: number): void {
    this.due.set(node, until);
  }

  /** Readies the nodes whose time has come, in the order of the definition. */
  wake(now: number): void {
    if (this.due.size === 0) return;
    const woken = [...this.due].filter(([, until]) => until <= now).map(([node]) => node);
    for (const node of woken.sort((a, b) => a - b)) this.enqueue(node);
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
    this.ready.length = 0;
    this.queued.clear();
    this.due.clear();
  }
}
