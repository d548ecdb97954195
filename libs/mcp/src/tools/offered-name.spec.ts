import { assert, property, string, tuple, uniqueArray } from 'fast-check';
import { slugFor } from '../servers/server-slug.js';
import { offeredName, slugOf } from './offered-name.js';

describe('offeredName', () => {
  it.each([
    ['find_customer', 'crm__find_customer'],
    ['find-customer', 'crm__find-customer'],
    ['_private', 'crm___private'],
  ])('leaves %s as it is', (tool, name) => expect(offeredName('crm', tool)).toBe(name));

  it('gives any two tools of any two servers different names that models take', () => {
    const labels = tuple(string({ unit: 'grapheme' }), string({ unit: 'grapheme' }));
    const tools = uniqueArray(string({ minLength: 1, maxLength: 200, unit: 'grapheme' }), {
      minLength: 2,
      maxLength: 20,
    });
    assert(
      property(labels, tools, ([one, other], names) => {
        const first = slugFor(one, new Set());
        const second = slugFor(other, new Set([first]));
        const offered = [first, second].flatMap((slug) =>
          names.map((name) => ({ slug, name: offeredName(slug, name) })),
        );
        expect(new Set(offered.map(({ name }) => name)).size).toBe(offered.length);
        for (const { slug, name } of offered) {
          expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          expect(slugOf(name)).toBe(slug);
        }
      }),
    );
  });
});
