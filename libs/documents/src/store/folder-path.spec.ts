import { ValidationError } from '@app/common';
import { normalizeFolder } from './folder-path.js';

describe('normalizeFolder', () => {
  it.each([
    ['', ''],
    ['/', ''],
    ['/Contracts//2024/ ', 'Contracts/2024'],
    ['Cafe\u0301', 'Café'],
    ['عقود/٢٠٢٤', 'عقود/٢٠٢٤'],
    ['a..b/c.', 'a..b/c.'],
  ])('makes %j to %j', (raw, expected) => {
    expect(normalizeFolder(raw)).toBe(expected);
  });

  it.each(['..', 'a/../b', 'a/ .. /b', './a', 'a\u0000b', 'a\nb', '\ud800', 'x'.repeat(1001)])('refuses %j', (raw) => {
    expect(() => normalizeFolder(raw)).toThrow(ValidationError);
  });
});
