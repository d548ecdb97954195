import { LimitWatch, processorWaitMs } from './limit-watch.js';

const LIMITS = { totalMs: 1_000, pieceMs: 10_000, rssBytes: Number.MAX_SAFE_INTEGER, piecesAhead: 4 };

/** No process has this id. */
function watch(limits = LIMITS, starvedMs?: () => number) {
  const broken = jest.fn();
  const watch = new LimitWatch(undefined, limits, broken, starvedMs);
  return { watch, broken };
}

describe('LimitWatch', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 0 }));
  afterEach(() => void jest.useRealTimers());

  it('ends a reading when its time is over, not half as late again', async () => {
    const { watch: watching, broken } = watch();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(broken).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(80);
    expect(broken).toHaveBeenCalled();
    watching.stop();
  });

  it('counts on while pages are stored and the process reads ahead, and stops when it has to wait', async () => {
    const { watch: watching, broken } = watch();
    watching.arrived();
    await jest.advanceTimersByTimeAsync(600);
    expect(broken).not.toHaveBeenCalled();
    for (let page = 0; page < 3; page += 1) watching.arrived();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(broken).not.toHaveBeenCalled();
    watching.stored();
    await jest.advanceTimersByTimeAsync(500);
    expect(broken).toHaveBeenCalled();
    watching.stop();
  });

  it('does not count what is stored after the end', async () => {
    const { watch: watching, broken } = watch();
    watching.arrived();
    watching.finish();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(broken).not.toHaveBeenCalled();
    watching.stop();
  });

  it('does not count the time in which the process waits for a processor', async () => {
    // It was let run a fifth of the time, also before anybody watched.
    const { watch: watching, broken } = watch(LIMITS, () => 7_000 + performance.now() * 0.8);
    await jest.advanceTimersByTimeAsync(4_900);
    expect(broken).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(200);
    expect(broken).toHaveBeenCalledWith({ limit: 'time', detail: expect.stringMatching(/^worked for 10\d\d ms$/) });
    watching.stop();
  });

  it('ends what is never let run, too', async () => {
    const { watch: watching, broken } = watch(LIMITS, () => performance.now());
    await jest.advanceTimersByTimeAsync(9_900);
    expect(broken).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(200);
    expect(broken).toHaveBeenCalled();
    watching.stop();
  });

  it('counts from the beginning again when the work itself begins', async () => {
    const { watch: watching, broken } = watch();
    await jest.advanceTimersByTimeAsync(900);
    watching.restart(2_000);
    await jest.advanceTimersByTimeAsync(1_900);
    expect(broken).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(200);
    expect(broken).toHaveBeenCalled();
    watching.stop();
  });
});

describe('processorWaitMs', () => {
  it('knows what a living process waited, and nothing of one that is gone', () => {
    if (process.platform === 'linux') expect(processorWaitMs(process.pid)).toBeGreaterThan(0);
    expect(processorWaitMs(undefined)).toBe(0);
    // Above what Linux gives out.
    expect(processorWaitMs(2 ** 30)).toBe(0);
  });
});
