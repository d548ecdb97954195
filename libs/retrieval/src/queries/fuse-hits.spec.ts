import * as fc from 'fast-check';
import type { SearchHit } from '../search/search-hit.js';
import { fuseHits } from './fuse-hits.js';

const list = (...ids: string[]) => ids.map((chunkId, at) => ({ chunkId, score: 1 / (at + 1) }) as SearchHit);
const idsOf = (hits: readonly SearchHit[]) => hits.map(({ chunkId }) => chunkId);

describe('fuseHits', () => {
  it('has first what both found, and gives each search its share', () => {
    const fused = idsOf(fuseHits([list('a', 'b', 'c', 'd')], list('x', 'b', 'y', 'z'), 4));
    expect(fused[0]).toBe('b');
    expect(new Set(fused)).toEqual(new Set(['a', 'b', 'x', 'c']));
  });

  it('leaves the words as they are where no model wrote a query', () => {
    expect(idsOf(fuseHits([], list('a', 'b', 'c'), 2))).toEqual(['a', 'b']);
  });

  it('keeps the best of the words however many queries there are, and each best of a search while there is room', () => {
    const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnop'), { maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(ids, { minLength: 1, maxLength: 4 }),
        ids,
        fc.integer({ min: 1, max: 8 }),
        (written, own, limit) => {
          const fused = idsOf(
            fuseHits(
              written.map((each) => list(...each)),
              list(...own),
              limit,
            ),
          );
          expect(fused.length).toBe(Math.min(limit, new Set([...written.flat(), ...own]).size));
          expect(new Set(fused).size).toBe(fused.length);
          const share = Math.max(1, Math.floor(limit / 3));
          for (const id of own.slice(0, share)) expect(fused).toContain(id);
          if (limit >= written.length + share) for (const [first] of written) if (first) expect(fused).toContain(first);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('tells the best score of a passage that several found', () => {
    const low = [{ chunkId: 'a', score: 0.2 } as SearchHit];
    const high = [{ chunkId: 'a', score: 0.7 } as SearchHit];
    expect(fuseHits([low], high, 3)).toEqual(high);
    expect(fuseHits([high], low, 3)).toEqual(high);
  });
});
