import { cutLine } from './cut-line.js';
import { cutText } from './cut-text.js';

describe('a text that is cut', () => {
  it('keeps no half of a character', () => {
    expect([1, 2, 3].map((limit) => cutText('a😀b', limit))).toEqual(['a', 'a', 'a😀']);
    expect(cutText('a😀', 9)).toBe('a😀');
    expect(cutLine('a😀 b', 3)).toBe('a…');
    expect(cutLine(' a\n😀 b ', 5)).toBe('a 😀…');
  });
});
