import { RunTurns } from './run-turns.js';

const pause = (): Promise<void> => new Promise(setImmediate);

class Work {
  readonly begun: string[] = [];
  readonly lost: string[] = [];
  private readonly ends = new Map<string, { done(): void; fail(error: Error): void }>();
  readonly turns: RunTurns;

  constructor(atOnce: number) {
    const work = (runId: string): Promise<void> => {
      this.begun.push(runId);
      return new Promise((done, fail) => this.ends.set(runId, { done, fail }));
    };
    this.turns = new RunTurns(atOnce, work, (runId) => this.lost.push(runId));
  }

  async end(runId: string, error?: Error): Promise<void> {
    const { done, fail } = this.ends.get(runId)!;
    if (error) fail(error);
    else done();
    await pause();
  }
}

describe('RunTurns', () => {
  it('leaves others a place, and takes owners in turn', async () => {
    const work = new Work(4);
    for (const id of ['a1', 'a2', 'a3', 'a4', 'a5']) void work.turns.take(1, id);
    expect(work.begun).toEqual(['a1', 'a2', 'a3']);
    for (const owner of [2, 3]) for (const n of [1, 2]) void work.turns.take(owner, `${owner}-${n}`);
    expect(work.begun.slice(3)).toEqual(['2-1', '2-2', '3-1', '3-2']);
    await work.end('a1');
    expect(work.begun.at(-1)).toBe('a4');
  });

  it('ends the job when its run is done, with what it failed of', async () => {
    const work = new Work(4);
    const first = work.turns.take(1, 'a1');
    const second = work.turns.take(1, 'a2');
    await work.end('a1');
    await first;
    const failed = expect(second).rejects.toThrow('The database is away.');
    await work.end('a2', new Error('The database is away.'));
    await failed;
    expect(work.lost).toEqual([]);
  });

  it('ends the jobs of one with a thousand runs early, forgets none, and tells of those that failed', async () => {
    const work = new Work(4);
    const ids = Array.from({ length: 1_000 }, (_, n) => `a${n}`);
    const jobs = ids.map((id) => work.turns.take(1, id));
    // Those at work and a few more wait; all others are answered.
    await Promise.all(jobs.slice(7));
    for (const id of ids) await work.end(id, id === 'a500' ? new Error('Lost.') : undefined);
    await Promise.all(jobs);
    expect(work.begun).toEqual(ids);
    expect(work.lost).toEqual(['a500']);
  });

  it('takes two jobs of a run that has not begun as one, and the next of a run at work as a new one', async () => {
    const work = new Work(1);
    void work.turns.take(1, 'a1');
    void work.turns.take(1, 'a2');
    await work.turns.take(1, 'a2');
    void work.turns.take(1, 'a1');
    await work.end('a1');
    await work.end('a2');
    await work.end('a1');
    expect(work.begun).toEqual(['a1', 'a2', 'a1']);
  });

  it('takes the workflows of an owner in turn, so that one which calls itself does not stop the others', async () => {
    const work = new Work(1);
    for (let n = 0; n < 50; n += 1) void work.turns.take(1, `self${n}`, 'self');
    for (const id of ['other1', 'other2']) void work.turns.take(1, id, 'other');
    for (const id of ['self0', 'self1', 'other1', 'self2']) await work.end(id);
    expect(work.begun).toEqual(['self0', 'self1', 'other1', 'self2', 'other2']);
  });

  it('lets the quick runs of an owner pass the long ones, up to a number of those', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const work = new Work(4);
      for (let n = 0; n < 20; n += 1) void work.turns.take(1, `slow${n}`);
      void work.turns.take(1, 'quick');
      expect(work.begun).toHaveLength(3);
      for (let round = 1; round <= 4; round += 1) {
        jest.advanceTimersByTime(2_000);
        await pause();
        expect(work.begun).toHaveLength(3 + 3 * round);
      }
      // Twelve are aside now, and three hold their places until others end.
      jest.advanceTimersByTime(60_000);
      await pause();
      expect(work.begun).toHaveLength(15);
      for (const id of ['slow0', 'slow14', 'slow2']) await work.end(id);
      expect(work.begun.slice(15)).toEqual(['slow15', 'slow16', 'slow17']);
      for (const id of work.begun.filter((id) => !['slow0', 'slow14', 'slow2'].includes(id))) await work.end(id);
      for (const id of ['slow18', 'slow19', 'quick']) await work.end(id);
      expect(work.begun).toHaveLength(21);
    } finally {
      jest.useRealTimers();
    }
  });
});
