import { within } from './edits.js';

describe('within', () => {
  it.each([
    ['pump', 'pump', 0],
    ['pump', 'pumps', 1],
    ['rahtaus', 'rathaus', 1],
    ['banquaire', 'bancaire', 2],
    ['pump', 'lamp', 2],
    ['pump', 'valve', null],
    ['a', 'abcd', null],
  ])('counts how many letters %s and %s differ by', (left, right, edits) => {
    expect(within(2, left, right)).toBe(edits);
    expect(within(2, right, left)).toBe(edits);
  });
});
