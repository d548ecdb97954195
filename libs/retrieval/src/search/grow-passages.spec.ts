import { growPassages, type Neighbour } from './grow-passages.js';

const passage = (at: number): Omit<Neighbour, 'distance'> => ({
  chunkId: `c${at}`,
  page: 1,
  start: at * 100,
  end: at * 100 + 100,
  text: 'x'.repeat(100),
});
const around = (at: number) =>
  [-2, -1, 0, 1, 2]
    .filter((distance) => at + distance >= 0)
    .map((distance) => ({ ...passage(at + distance), distance }));
const grow = (hits: number[], room: number) =>
  Object.fromEntries(
    [
      ...growPassages(
        hits.map((at) => `c${at}`),
        new Map(hits.map((at) => [`c${at}`, around(at)])),
        room,
      ),
    ].map(([id, run]) => [id, run.map(({ chunkId }) => chunkId).join(' ')]),
  );

describe('growPassages', () => {
  it('grows behind and before while there is room', () => {
    expect(grow([5], 1000)).toEqual({ c5: 'c3 c4 c5 c6 c7' });
    expect(grow([5], 250)).toEqual({ c5: 'c4 c5 c6' });
    expect(grow([0], 1000)).toEqual({ c0: 'c0 c1 c2' });
    expect(grow([5], 99)).toEqual({});
  });

  it('gives each step to all before the next one, the best first', () => {
    expect(grow([5, 50], 200)).toEqual({ c5: 'c5 c6', c50: 'c50 c51' });
    expect(grow([5, 50], 300)).toEqual({ c5: 'c4 c5 c6', c50: 'c50 c51' });
  });

  it('shows no passage twice and leaves no gap', () => {
    expect(grow([5, 6], 1000)).toEqual({ c5: 'c3 c4 c5', c6: 'c6 c7 c8' });
    expect(grow([5, 7], 1000)).toEqual({ c5: 'c3 c4 c5 c6', c7: 'c7 c8 c9' });
  });
});
