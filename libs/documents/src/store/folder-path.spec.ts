import { ValidationError } from '@app/common';
import { findableFolder, normalizeFolder } from './folder-path.js';

describe('normalizeFolder', () => {
  it.each([
    ['', ''],
    ['/', ''],
    ['/Contracts//2024/ ', 'Contracts/2024'],
    ['Cafe\u0301', 'Café'],
    ['عقود/٢٠٢٤', 'عقود/٢٠٢٤'],
    ['a..b/c.', 'a..b/c.'],
    ['می\u200cروم/👩‍👧', 'می\u200cروم/👩‍👧'],
  ])('makes %j to %j', (raw, expected) => {
    expect(normalizeFolder(raw)).toBe(expected);
  });

  it.each(['..', 'a/../b', 'a/ .. /b', './a', 'a\u0000b', 'a\nb', '\ud800', 'x'.repeat(1001)])('refuses %j', (raw) => {
    expect(() => normalizeFolder(raw)).toThrow(ValidationError);
  });

  it.each(['a\u202efdp', 'a/b\u200b', '\u2066x\u2069', 'a\ufeffb', '\u3164', '\u200d/a', 'a/\u00ad'])(
    'refuses %j, which looks like another name, and finds it where it is older than the rule',
    (raw) => {
      expect(() => normalizeFolder(raw)).toThrow(ValidationError);
      expect(findableFolder(raw)).toBe(raw.trim());
    },
  );
});
