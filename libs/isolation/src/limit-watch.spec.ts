import { LimitWatch } from './limit-watch.js';

const LIMITS = { totalMs: 1_000, pieceMs: 10_000, rssBytes: Number.MAX_SAFE_INTEGER, piecesAhead: 4 };

/** No process has this id. */
function watch(limits = LIMITS) {
  const broken = jest.fn();
  const watch = new LimitWatch(undefined, limits, broken);
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
});
