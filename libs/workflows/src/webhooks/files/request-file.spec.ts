import { planFiles } from './request-file.js';

const states = (urls: string[], limit: number) => planFiles(urls, limit).map(({ state }) => state);

describe('planFiles', () => {
  it('takes each address once, up to the limit', () => {
    expect(states(['a', 'b', 'a', 'c', 'd'], 3)).toEqual(['pending', 'pending', 'skipped', 'pending', 'skipped']);
    expect(states(['a'], 0)).toEqual(['skipped']);
    expect(states(['x'.repeat(2049)], 3)).toEqual(['skipped']);
  });
});
