import { setImmediate as turn } from 'node:timers/promises';
import { Neighbours } from './neighbours.js';

describe('neighbours', () => {
  const { signal } = new AbortController();

  it('are begun one after the other, whatever becomes of one', async () => {
    const neighbours = new Neighbours();
    const order: string[] = [];
    const first = Promise.withResolvers<void>();
    const begun = [
      neighbours.inTurn(async () => {
        order.push('first');
        await first.promise;
      }),
      neighbours.inTurn(() => Promise.resolve(order.push('second'))),
    ];
    await turn();
    expect(order).toEqual(['first']);
    first.reject(new Error('broken'));
    await Promise.allSettled(begun);
    expect(order).toEqual(['first', 'second']);
  });

  it('leave once they have all ended, well or not', async () => {
    const neighbours = new Neighbours();
    const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const works = [neighbours.add(one.promise), neighbours.add(other.promise)];
    let isAlone = false;
    const left = neighbours.leave(signal).then(() => (isAlone = true));
    one.resolve();
    await turn();
    expect(isAlone).toBe(false);
    other.reject(new Error('broken'));
    await left;
    expect((await Promise.allSettled(works)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await neighbours.leave(signal);
  });

  it('are not waited for by what is stopped', async () => {
    const neighbours = new Neighbours();
    void neighbours.add(new Promise(() => {}));
    const stopped = new AbortController();
    const left = neighbours.leave(stopped.signal);
    stopped.abort();
    await left;
    await neighbours.leave(stopped.signal);
  });
});
