import { ValidationError } from '@app/common';
import { normalizeTags } from './document-tags.js';

describe('normalizeTags', () => {
  it('keeps the order, and one of those that differ in case or blanks only', () => {
    expect(normalizeTags([' Tax  2026 ', 'urgent', 'tax 2026', 'عاجل', 'Cafe\u0301', 'Caf\u00e9'])).toEqual([
      'Tax 2026',
      'urgent',
      'عاجل',
      'Caf\u00e9',
    ]);
    expect(normalizeTags([])).toEqual([]);
  });

  it.each([
    [['']],
    [['  ']],
    [['a\u0000b']],
    [['a\ud800']],
    [['a\u202eb']],
    [['\u200d']],
    [['x'.repeat(65)]],
    [Array.from({ length: 51 }, (_, n) => `t${n}`)],
  ])('refuses %#', (tags) => {
    expect(() => normalizeTags(tags)).toThrow(ValidationError);
  });
});
