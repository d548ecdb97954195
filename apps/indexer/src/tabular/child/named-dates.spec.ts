import { monthNames } from './named-dates.js';

describe('names of months', () => {
  it('say one month each, in all languages together', () => {
    const names = monthNames();
    expect(names.size).toBeGreaterThan(300);
    expect(['march', 'marz', 'mars', 'marzo', 'marzec', 'март'].map((name) => names.get(name))).toEqual(
      Array(6).fill(3),
    );
  });
});
