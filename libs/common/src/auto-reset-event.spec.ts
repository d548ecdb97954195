import { AutoResetEvent } from './auto-reset-event.js';

const isOver = (waiting: Promise<void>) =>
  Promise.race([waiting.then(() => true), new Promise<boolean>((done) => setImmediate(() => done(false)))]);

describe('AutoResetEvent', () => {
  it('wakes who sleeps, once', async () => {
    const event = new AutoResetEvent();
    const first = event.wait();
    expect(await isOver(first)).toBe(false);
    event.set();
    expect(await isOver(first)).toBe(true);
    expect(await isOver(event.wait())).toBe(false);
  });

  it('remembers that it was set while nobody slept, however often', async () => {
    const event = new AutoResetEvent();
    event.set();
    event.set();
    expect(await isOver(event.wait())).toBe(true);
    expect(await isOver(event.wait())).toBe(false);
  });

  it('forgets nothing that comes between waking and the next look', async () => {
    const event = new AutoResetEvent();
    const first = event.wait();
    event.set();
    event.set();
    await first;
    expect(await isOver(event.wait())).toBe(true);
  });

  it('ends with the time and with the signal, and waits as long as there are years', async () => {
    const event = new AutoResetEvent();
    await event.wait(1);
    await event.wait(-5);
    const gone = new AbortController();
    const waiting = event.wait(1e15, gone.signal);
    expect(await isOver(waiting)).toBe(false);
    gone.abort();
    expect(await isOver(waiting)).toBe(true);
    expect(await isOver(event.wait(Infinity, gone.signal))).toBe(true);
  });
});
