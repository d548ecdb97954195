import { monthNames } from './month-names.js';

describe('names of months', () => {
  it('say one month each, in all languages together', () => {
    const names = monthNames();
    expect(names.size).toBeGreaterThan(300);
    expect(['march', 'marz', 'mars', 'marzo', 'marzec', 'март'].map((name) => names.get(name))).toEqual(
      Array(6).fill(3),
    );
    expect(['يناير', 'كانون الثاني', 'جانفي'].map((name) => names.get(name))).toEqual([1, 1, 1]);
    expect([...names.keys()].filter((name) => /\d/.test(name))).toEqual([]);
  });
});
