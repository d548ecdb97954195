import { undecided } from './undecided.js';

const words = (shares: Record<string, number>) =>
  Object.entries(shares).map(([chunkId, share]) => ({ chunkId, share, score: share }));
const vectors = (cosines: Record<string, number>) =>
  Object.entries(cosines).map(([chunkId, cosine]) => ({ chunkId, cosine }));

describe('undecided', () => {
  const near = vectors({ a: 0.9, b: 0.8, c: 0.2, d: 0.1 });

  it('names those that could still be among the best', () => {
    // The second best has 0.4; with a cosine of 0.25 at most, w needs a share above 0.55.
    const keyword = words({ x: 0.6, a: 0.5, w: 0.5 });
    expect(undecided({ keyword, near, vectorWeight: 0.5, wanted: 2 })).toEqual(['x']);
  });

  it('names all while there are fewer than wanted', () => {
    const keyword = words({ x: 0.6, w: 0.01, a: 0.005 });
    expect(undecided({ keyword, near, vectorWeight: 0.5, wanted: 10 })).toEqual(['x', 'w']);
  });

  it('names all when nothing was compared', () => {
    const keyword = words({ x: 0.6, w: 0.01 });
    expect(undecided({ keyword, near: [], vectorWeight: 0.5, wanted: 1 })).toEqual(['x', 'w']);
  });
});
