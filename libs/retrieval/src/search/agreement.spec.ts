import { agreement } from './agreement.js';

let state = 5;
const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
const hits = (ids: number[]) => ids.map((id) => ({ chunkId: String(id) }));

function shuffled(count: number): number[] {
  return Array.from({ length: count }, (_, id) => ({ id, at: random() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ id }) => id);
}

const byWords = hits(Array.from({ length: 60 }, (_, id) => id));

describe('agreement', () => {
  it.each([150, 1000, 3000])('believes little of %d vectors that are drawn by lot', (vectors) => {
    const believed = Array.from({ length: 100 }, () =>
      agreement(byWords, hits(shuffled(vectors).slice(0, 100)), vectors),
    );
    expect(believed.reduce((sum, each) => sum + each, 0) / believed.length).toBeLessThan(0.15);
  });

  it.each([300, 1000, 3000])('believes %d vectors that know half of what words find', (vectors) => {
    const known = shuffled(60).slice(0, 30);
    const near = [...known, ...shuffled(vectors).filter((id) => id >= 60)].slice(0, 100);
    expect(agreement(byWords, hits(near), vectors)).toBeGreaterThan(0.6);
  });

  it('believes where there is too little to tell', () => {
    expect(agreement(hits([1, 2, 3]), hits(shuffled(100)), 1000)).toBe(1);
    expect(agreement(byWords, hits(shuffled(20)), 20)).toBe(1);
    expect(agreement([], [], 0)).toBe(1);
  });
});
