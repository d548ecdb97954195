export interface FairLimits {
  /** So many jobs are at work at the same time. */
  atOnce: number;
  /** So many of one owner, so that somebody with a thousand jobs does not keep everybody else waiting. */
  atOncePerOwner: number;
}

/** Jobs start in turn: one of each owner, then the next of each; of one owner, one of each lane. */
export class FairQueue<T> {
  /** In the order of their turns. */
  private readonly queues = new Map<number, Map<string, T[]>>();
  private readonly atWork = new Map<number, number>();
  private running = 0;
  private waiting_ = 0;

  /** @param work must not reject. */
  constructor(
    readonly limits: FairLimits,
    private readonly work: (job: T) => Promise<void>,
  ) {}

  /** Jobs that have not started. */
  get waiting(): number {
    return this.waiting_;
  }

  push(owner: number, job: T, lane = ''): void {
    const lanes = this.queues.get(owner) ?? new Map<string, T[]>();
    const queue = lanes.get(lane);
    if (queue) queue.push(job);
    else lanes.set(lane, [job]);
    this.queues.set(owner, lanes);
    this.waiting_ += 1;
    this.startWhatMay();
  }

  /** @returns whether it was still waiting. */
  remove(owner: number, job: T): boolean {
    const lanes = this.queues.get(owner) ?? new Map<string, T[]>();
    for (const [lane, queue] of lanes) {
      const index = queue.indexOf(job);
      if (index < 0) continue;
      queue.splice(index, 1);
      if (queue.length === 0) lanes.delete(lane);
      if (lanes.size === 0) this.queues.delete(owner);
      this.waiting_ -= 1;
      return true;
    }
    return false;
  }

  private startWhatMay(): void {
    while (this.running < this.limits.atOnce) {
      const owner = this.nextOwner();
      if (owner === undefined) return;
      void this.start(owner, this.take(owner));
    }
  }

  private nextOwner(): number | undefined {
    for (const owner of this.queues.keys()) {
      if ((this.atWork.get(owner) ?? 0) < this.limits.atOncePerOwner) return owner;
    }
    return undefined;
  }

  private take(owner: number): T {
    const lanes = this.queues.get(owner)!;
    const [lane, queue] = lanes.entries().next().value!;
    const job = queue.shift()!;
    lanes.delete(lane);
    if (queue.length > 0) lanes.set(lane, queue);
    this.queues.delete(owner);
    if (lanes.size > 0) this.queues.set(owner, lanes);
    this.waiting_ -= 1;
    return job;
  }

  private async start(owner: number, job: T): Promise<void> {
    this.running += 1;
    this.atWork.set(owner, (this.atWork.get(owner) ?? 0) + 1);
    try {
      await this.work(job);
    } finally {
      this.running -= 1;
      const left = this.atWork.get(owner)! - 1;
      if (left > 0) this.atWork.set(owner, left);
      else this.atWork.delete(owner);
      this.startWhatMay();
    }
  }
}
