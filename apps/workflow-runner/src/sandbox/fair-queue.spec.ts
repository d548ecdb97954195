import { FairQueue } from './fair-queue.js';

class Bench {
  readonly started: string[] = [];
  private readonly ends = new Map<string, () => void>();
  readonly queue: FairQueue<string>;

  constructor(atOnce: number, atOncePerOwner: number) {
    this.queue = new FairQueue({ atOnce, atOncePerOwner }, (job) => {
      this.started.push(job);
      return new Promise((done) => this.ends.set(job, done));
    });
  }

  async finish(job: string): Promise<void> {
    this.ends.get(job)!();
    await new Promise((done) => setImmediate(done));
  }
}

describe('FairQueue', () => {
  it('lets owners take turns, however many jobs one of them has', async () => {
    const bench = new Bench(1, 1);
    for (const job of ['a1', 'a2', 'a3']) bench.queue.push(1, job);
    for (const job of ['b1', 'b2']) bench.queue.push(2, job);
    bench.queue.push(3, 'c1');
    for (const job of ['a1', 'a2', 'b1', 'c1', 'a3']) await bench.finish(job);
    expect(bench.started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
    expect(bench.queue.waiting).toBe(0);
  });

  it('keeps a place free for others', async () => {
    const bench = new Bench(3, 2);
    for (const job of ['a1', 'a2', 'a3', 'a4']) bench.queue.push(1, job);
    expect(bench.started).toEqual(['a1', 'a2']);
    bench.queue.push(2, 'b1');
    expect(bench.started).toEqual(['a1', 'a2', 'b1']);
    await bench.finish('b1');
    expect(bench.started).toHaveLength(3);
    await bench.finish('a1');
    expect(bench.started).toEqual(['a1', 'a2', 'b1', 'a3']);
    expect(bench.queue.waiting).toBe(1);
  });

  it('forgets what left before it began', async () => {
    const bench = new Bench(1, 1);
    for (const job of ['a1', 'a2', 'a3']) bench.queue.push(1, job);
    expect(bench.queue.remove(1, 'a2')).toBe(true);
    expect(bench.queue.remove(1, 'a2')).toBe(false);
    expect(bench.queue.remove(1, 'a1')).toBe(false);
    expect(bench.queue.remove(9, 'a3')).toBe(false);
    await bench.finish('a1');
    expect(bench.started).toEqual(['a1', 'a3']);
  });
});
